"""Works out drafts: locates what takes effect in workflows and scripts, and splices edits.

Locating. Every "could not" is a `Refusal` (`triage.fixes.refusal`) with its reason, never an exception:

    from triage.fixes.workflow.load import load_workflow, workflow_paths
    from triage.fixes.workflow.names import find_job, find_step, jobs_of
    from triage.fixes.evaluate.job import evaluate_job
    from triage.fixes.evaluate.settings import find_setting, may_hide
    from triage.fixes.evaluate.passing import pass_through

    workflow = load_workflow(tree, ".github/workflows/x.yml")
    job = find_job(tree, workflow, "test (fsdp2, 8)", labels)      id, displayed name or "caller / callee";
                                                                   matrix cells are narrowed to those meant
    step = find_step(job, "Run python train.py")                   a step by its name in the log
    evaluation = evaluate_job(tree, job, facts)                    .invocations, .notes (what was not followed)
    invocation.module, .program, .argv, .environment               arguments are Values: .text (None unless known
                                                                   whole), .startswith("key="), .after("key="), .sites
    invocation.calls                                               workflow line -> script line ... -> program; each
                                                                   with its span and its `argument_end`
    invocation.conditions, .assumptions, .step, .step_name
    setting = find_setting(invocation, "actor.strategy")           `key=`, `+key=`, `--flag x`; last wins; None
    check = pass_through(tree, job, call, facts, wanted)           verdict all|some|none|unknown, and the manner

A `Site` names the bytes that decide a text: replace `start`..`end` of `path` when its kind is not COMPUTED or FACT.

Editing. Each gives a tuple of `Edit`s or a `Refusal`:

    triage.fixes.yaml.edits      add_env, add_entry, remove_entry, replace_scalar, splice_scalar, set_key, comment_above
    triage.fixes.yaml.steps      insert_step, insert_step_text
    triage.fixes.shell.edits     append_argument, replace_value (a site), replace_command, insert_line, remove_command
    triage.fixes.document        splice(data, edits), conflicts(edits), unified_diff(path, before, after)
"""

from triage.fixes.prescription import prescribe, redraft
from triage.fixes.target import Target

__all__ = ["Target", "prescribe", "redraft"]
