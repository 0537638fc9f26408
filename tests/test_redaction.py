import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.model.log import Line
from triage.model.run import Annotation, Unavailable, UnavailableReason
from triage.redaction import MASK, redact, redacted


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("remote: ghp_" + "a1B2" * 9, "ghp_" + "a1B2" * 9),
        ("login github_pat_" + "11ABCDEFG0" * 4, "github_pat_" + "11ABCDEFG0" * 4),
        ("HF_TOKEN=hf_" + "QwErTyUi" * 4, "hf_" + "QwErTyUi" * 4),
        ("Authorization: Bearer abcdef123456", "abcdef123456"),
        ('{"Authorization": "token abcdef123456"}', "abcdef123456"),
        ("pulling https://user:hunter22@registry.example/v2", "user:hunter22"),
        ("GET https://logs.example/x?se=2026-01-01&sig=AbC%2Fd123456789 failed", "AbC%2Fd123456789"),
        ("AKIA" + "ABCDEFGH12345678", "AKIA" + "ABCDEFGH12345678"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcDEF123456", "eyJzdWIiOiIxMjM0NTY3ODkwIn0"),
        ("-----BEGIN RSA PRIVATE KEY----- MIIEpAIBAAKCAQEA -----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA"),
        ("export DB_PASSWORD=correcthorse", "correcthorse"),
        ("WANDB_API_KEY: 0123456789abcdef0123", "0123456789abcdef0123"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI"),
        ('{"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG"}', "wJalrXUtnFEMI"),
        ("aws_session_token = FwoGZXIvYXdzEBYaD", "FwoGZXIvYXdzEBYaD"),
        ("DefaultEndpointsProtocol=https;AccountKey=Eby8vdM02xNOcqFl==;x=y", "Eby8vdM02xNOcqFl"),
        ("INTERNAL_TOKEN=abcdef123456", "abcdef123456"),
        ("client_secret: abcdef123456", "abcdef123456"),
        ("api-key: abcdef123456", "abcdef123456"),
        ("+ login --password correcthorse", "correcthorse"),
        ("+ python train.py --wandb_api_key 0123456789abcdef", "0123456789abcdef"),
        ("+ wandb login 0123456789abcdef0123", "0123456789abcdef0123"),
        ("+ wandb login --relogin 0123456789abcdef0123", "0123456789abcdef0123"),
        ("+ sshpass -p correcthorse ssh host", "correcthorse"),
        ("+ docker login -u bot -p correcthorse registry.example", "correcthorse"),
        ("+ mysql -u root -pcorrecthorse", "correcthorse"),
        ("+ curl -u bot:correcthorse https://host.example", "correcthorse"),
        ("redis://:correcthorse@host.example", "correcthorse"),
        ("https://0123456789abcdef01234567@host.example/x", "0123456789abcdef01234567"),
        ("pull dckr_pat_" + "aB3-" * 7, "aB3-aB3"),
        ("ya29." + "aB3_" * 9, "aB3_aB3"),
        ("sk_" + "live_" + "aB3d" * 6, "aB3daB3d"),
        ("https://api.example/bot123456789:" + "aB3d" * 9 + "/send", "aB3daB3d"),
        ("MIIEpAIBAAKCAQEA7x" + "aB3/" * 11 + "ab", "MIIEpAIBAAKCAQEA"),
    ],
)
def test_a_secret_is_gone_and_its_place_is_seen(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert MASK in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "api_key=None",
        "password: ***",
        "fatal: No url found for submodule path 'third_party/x' in .gitmodules",
        "https://github.com/example/train/actions/runs/1?pr=2",
        "tokens: 16384, secret_santa test passed",
        "loading tokenizer, num_token=4096",
        "+ docker run -u 1000:1000 image",
        "+ python train.py --max-token 1048576 --pad-token <s>",
        "+ mkdir -p /tmp/cache && docker login ghcr.io",
        "wandb: Use `wandb login --relogin` to force relogin",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "ssh://git@host.example/x and pip install git+ssh://git@host.example/y",
        "========================================================================",
        "key_error: KeyError: 'actor_rollout_ref'",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_values_are_walked_and_enumerations_stay() -> None:
    line = Line(number=3, text="push with ghp_" + "a" * 36)
    assert redacted((line,))[0].text == f"push with {MASK}"
    assert redacted(Annotation("failure", "nothing here")) == Annotation("failure", "nothing here")
    kept = redacted(Unavailable(UnavailableReason.EXPIRED, "sig gone"))
    assert kept.reason is UnavailableReason.EXPIRED


@given(st.text(max_size=2000))
def test_any_text_is_read_and_a_second_pass_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "piece",
    [
        "authorization:",
        "a" * 40 + "password=",
        "eyJ.",
        "http://a:",
        "-----BEGIN ",
        "?sig=",
        "docker login ",
        "mysql ",
        " -u a:",
        "A" * 60,
        "wandb login --a ",
        "_TOKEN=",
        "bot1",
    ],
)
def test_hostile_lines_take_time_linear_in_their_length(piece: str) -> None:
    def cost(times: int) -> float:
        text = piece * times
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    # Eight times the text: about 8 times the processor time when linear, 64 times when quadratic.
    small = min(cost(2000) for _ in range(5))
    large = min(cost(16000) for _ in range(5))
    assert large < 30 * max(small, 5e-4)
