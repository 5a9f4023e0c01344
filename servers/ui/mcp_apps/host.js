"use strict";
// Speaks with the host as MCP Apps have it, and makes elements whose contents are text and nothing else.

const PROTOCOL = "2026-01-26";

function make(kind, text, parts) {
  const element = document.createElement(kind);
  if (text !== null) element.textContent = String(text);
  for (const part of parts || []) element.appendChild(part);
  return element;
}

function said(value) {
  const inner = value !== null && typeof value === "object" && "untrusted" in value ? value.untrusted : value;
  return typeof inner === "string" ? inner : JSON.stringify(inner);
}

function row(kind, cells) {
  return make("tr", null, cells.map((cell) => make(kind, cell)));
}

function table(headings, rows) {
  return make("table", null, [
    make("thead", null, [row("th", headings)]),
    make("tbody", null, rows.map((cells) => row("td", cells))),
  ]);
}

function show(parts) {
  const main = document.getElementById("league");
  main.replaceChildren(...parts);
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  tell("ui/notifications/size-changed", { height });
}

function post(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function tell(method, params) {
  post({ method, params });
}

function connect(draw) {
  window.addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== window.parent || message === null || typeof message !== "object") return;
    if (message.id === "hello" && message.result) {
      tell("ui/notifications/initialized", {});
    } else if (message.method === "ui/notifications/tool-result") {
      const data = message.params && message.params.structuredContent;
      show(data ? draw(data) : [make("p", "The host sent no data.")]);
    } else if (message.method === "ping" || message.method === "ui/resource-teardown") {
      post({ id: message.id, result: {} });
    }
  });
  const params = {
    appInfo: { name: "league", version: "1.0.0" },
    appCapabilities: {},
    protocolVersion: PROTOCOL,
  };
  post({ id: "hello", method: "ui/initialize", params });
}
