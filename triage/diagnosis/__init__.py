"""Chooses the root cause from what matched, and reads the facts that fixes need."""

from triage.diagnosis.diagnose import diagnose
from triage.diagnosis.probes import PROBES
from triage.diagnosis.unexplained import novel_form
from triage.diagnosis.without_log import diagnose_without_log

__all__ = ["PROBES", "diagnose", "diagnose_without_log", "novel_form"]
