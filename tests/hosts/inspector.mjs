// Runs many command lines of MCP Inspector's command-line mode in one process, which saves starting it anew for each.
// Arguments: the command-line client's module. Input: a JSON list of argument lists. Output: a JSON list of outcomes.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { runCli } = await import(pathToFileURL(process.argv[2]).href);
const commands = JSON.parse(readFileSync(0, "utf8"));
const write = process.stdout.write.bind(process.stdout);
const outcomes = [];
let said = "";
process.stdout.write = (chunk, encoding, done) => {
  said += chunk;
  const called = typeof encoding === "function" ? encoding : done;
  if (called) called();
  return true;
};
for (const command of commands) {
  said = "";
  try {
    await runCli(["node", "inspector", ...command, "--format", "json", "--quiet"]);
    outcomes.push({ result: JSON.parse(said).result });
  } catch (error) {
    const { code = null, message, data = null } = error.cause?.code ? error.cause : error;
    outcomes.push({ error: { code, message, data } });
  }
}
write(JSON.stringify(outcomes), () => process.exit(0));
