"""A player operated from an MCP host by a person or the host's model."""
