"""The one place that meets the MCP SDK: client, server, tool schemas and resources."""
