"""The MCP servers: league manager, referees and players, and what starts them."""
