from train.features import has_engine

if has_engine():
    from vllm import LLM, SamplingParams


def generate(name, inputs):
    return LLM(name).generate(prompt_token_ids=inputs, sampling_params=SamplingParams())
