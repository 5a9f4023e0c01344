"""The only code that uses the MCP SDK: client, server, tool schemas, resources."""
