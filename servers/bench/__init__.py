"""What `league bench` measures: whole leagues beside the bare MCP SDK, and the latencies of one agent."""
