"""The values that travel through triage: frozen, slotted, standard library only.

One file per stage of the way through: `run` (what GitHub says), `log` (what a job printed), `signature` and `recipe`
(what the catalogue says), `diagnosis` (what went wrong), `patch` (what to change), `result` (what is shown).
"""
