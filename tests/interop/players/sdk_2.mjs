// On the official SDK, 2.x.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { port, tools } from "./even_odd.mjs";

const text = { type: "string" };
const properties = { match_id: text, player_id: text, auth_token: text };
const inputSchema = fromJsonSchema({ type: "object", properties });

function player() {
  const server = new McpServer({ name: "Mia", version: "1.0.0" });
  for (const [name, answer] of Object.entries(tools)) {
    server.registerTool(name, { inputSchema }, async (asked) => {
      const reply = answer(asked);
      return { content: [{ type: "text", text: JSON.stringify(reply) }], structuredContent: reply };
    });
  }
  return server;
}

const handle = toNodeHandler(createMcpHandler(player));
createServer((request, response) => void handle(request, response)).listen(port, "127.0.0.1");
