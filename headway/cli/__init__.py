"""The `headway` command: thin wrappers around what Python users call."""
