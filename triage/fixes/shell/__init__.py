"""Shell scripts as syntax: tree-sitter-bash for statements, a lexer for words, byte spans back to the file."""
