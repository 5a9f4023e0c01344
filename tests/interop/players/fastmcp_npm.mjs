// On fastmcp of npm.
import { FastMCP } from "fastmcp";
import { z } from "zod";
import { port, tools } from "./even_odd.mjs";

const server = new FastMCP({ name: "Mia", version: "1.0.0" });
for (const [name, answer] of Object.entries(tools)) {
  server.addTool({
    name,
    description: name,
    parameters: z.object({ match_id: z.string().optional(), player_id: z.string().optional(), auth_token: z.string().optional() }),
    execute: async (asked) => JSON.stringify(answer(asked)),
  });
}
await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1", endpoint: "/mcp" } });
