"""The mechanics of each recipe: from what must hold afterwards to the edits that make it so in this tree."""
