"""Pages for people: the live page, the report and the apps of MCP hosts."""
