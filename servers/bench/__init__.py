"""Benchmarks: whole leagues beside the bare MCP SDK, and one agent's latencies."""
