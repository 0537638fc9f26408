import pytest


@pytest.mark.parametrize("size", [8, 16])
def test_logprobs(size): ...
