"""A seat of a league for whoever sits in an MCP host: a person, or the host's model."""
