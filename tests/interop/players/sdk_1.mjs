// On the official SDK, 1.x.
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { port, tools } from "./even_odd.mjs";

const inputSchema = { match_id: z.string().optional(), player_id: z.string().optional(), auth_token: z.string().optional() };

function player() {
  const server = new McpServer({ name: "Mia", version: "1.0.0" });
  for (const [name, answer] of Object.entries(tools)) {
    server.registerTool(name, { inputSchema }, async (asked) => ({
      content: [{ type: "text", text: JSON.stringify(answer(asked)) }],
    }));
  }
  return server;
}

createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await player().connect(transport);
  await transport.handleRequest(request, response);
}).listen(port, "127.0.0.1");
