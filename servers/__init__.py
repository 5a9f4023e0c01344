"""The MCP servers (league manager, referees, players) and their launchers."""
