// A host of MCP Apps with the least that a page needs of a browser. Every element keeps what was made of it; what is no
// text, such as innerHTML, does not exist and ends the test. Arguments: the page's script. Input: the result of a view.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const told = [];
const listeners = [];
function element(kind) {
  const known = {
    kind,
    children: [],
    textContent: "",
    disabled: false,
    clicks: [],
    appendChild: (child) => known.children.push(child),
    replaceChildren: (...children) => { known.children = children; },
    addEventListener: (name, listener) => known.clicks.push(listener),
    getBoundingClientRect: () => ({ height: 100 }),
  };
  return new Proxy(known, {
    get: (target, name) => {
      if (!(name in target) && typeof name === "string" && name !== "toJSON") throw new Error(`no ${name} here`);
      return target[name];
    },
    set: (target, name, value) => {
      if (!["textContent", "disabled"].includes(name)) throw new Error(`${String(name)} is set`);
      target[name] = String(value);
      return true;
    },
  });
}
const main = element("main");
const parent = { postMessage: (message) => told.push(message) };
const window = { parent, addEventListener: (name, listener) => listeners.push(listener) };
const document = {
  createElement: element,
  getElementById: () => main,
  documentElement: element("html"),
};
const hear = (data, source = parent) => listeners.forEach((listener) => listener({ data, source }));
vm.runInNewContext(process.argv[2], { window, document });
hear({ jsonrpc: "2.0", id: "hello", result: { hostInfo: { name: "test" } } });
const result = JSON.parse(readFileSync(0, "utf8"));
const params = { content: [], structuredContent: result };
hear({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params }, { other: "frame" });
const before = main.children.length;
hear({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params });
const buttons = main.children.filter((child) => child.kind === "button");
buttons.forEach((button) => button.clicks.forEach((click) => button.disabled === "true" || click()));
process.stdout.write(JSON.stringify({ told, before, drawn: main.children }));
