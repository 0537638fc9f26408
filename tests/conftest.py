import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("triage", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "triage"))

# What the machine happens to have must not decide how a test ends.
SCRUBBED = ("NO_COLOR", "FORCE_COLOR", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GITHUB_API_URL", "GITHUB_REPOSITORY",
            "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH", "GITHUB_ACTIONS", "CI", "TRIAGE_DB", "TRIAGE_QUIET", "COLUMNS")  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in SCRUBBED:
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)  # those of a hook or a bisection, in which the tests run
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def golden() -> Path:
    return Path(__file__).parent / "golden"
