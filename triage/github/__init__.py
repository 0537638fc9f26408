"""The only network: GitHub through PyGithub, behind frozen types."""
