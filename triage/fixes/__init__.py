"""Works out drafts: locates what takes effect in workflows and scripts, and splices edits.

Locating, for the recipes (every "could not" is a `Refusal` with its reason, never an exception):

    workflow = load_workflow(tree, ".github/workflows/x.yml")            Workflow | Refusal
    job = find_job(tree, workflow, "test (fsdp2, 8)", labels)            Job | Refusal: id or displayed name,
                                                                         "caller / callee"; matrix narrowed to it
    step = find_step(job, "Run python train.py")                         Step | Refusal: a step's name in the log
    evaluation = evaluate_job(tree, job, facts)                          Evaluation(invocations, notes)
    for invocation in evaluation.invocations:
        invocation.module, invocation.program, invocation.argv           Values: `.text` (None when not known whole),
                                                                         `.startswith("key=")`, `.after("key=")`, `.sites`
        invocation.calls                                                 workflow line -> script line ... -> program
        invocation.conditions, .assumptions, .step, .step_name, .environment
    setting = find_setting(invocation, "actor.strategy")                 Setting | None: `key=`, `+key=`, `--flag x`; last wins
    check = pass_through(tree, job, call, facts, wanted)                 PassThrough: verdict all|some|none|unknown, how

Editing (`triage.fixes.yaml.edits`, `triage.fixes.shell.edits`): each returns a tuple of `Edit`s or a `Refusal`.
`triage.fixes.document.splice(data, edits)` makes them; `unified_diff(path, before, after)` prints them.
"""
