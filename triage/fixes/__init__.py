"""Works out drafts: locates what takes effect in workflows and scripts, and splices edits."""
