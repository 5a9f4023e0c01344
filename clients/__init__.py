"""The MCP client that every agent embeds."""
