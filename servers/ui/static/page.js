"use strict";
// Keeps the page what its league is. The server says that something has changed; the page then fetches itself anew and
// is morphed into what it has become: what did not change is not touched, so focus, selection and scrolling stay.
(() => {
  const SLOWEST_MS = 30000, POLL_MS = 4000, RUNNING_MS = 2000;
  const page = () => document.getElementById("page");
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  let seen = page().dataset.sequence, shown = "", fetching = false, stale = false, source = null, failures = 0, polling = 0, connected = false;

  function link(state, words) {
    const pill = document.getElementById("link");
    pill.hidden = false;
    pill.className = "pill link " + state;
    if (pill.textContent !== words) pill.textContent = words;
  }

  function told() {
    if (document.querySelector(".state-completed")) link("over", "finished");
    else if (connected) link("live", "live");
  }

  async function refresh() {
    if (fetching || document.hidden) { stale = true; return; }
    fetching = true;
    stale = false;
    let pause = 0;
    try {
      const answer = await fetch(location.href, { headers: { "x-part": "main" } });
      const html = await answer.text();
      if (answer.headers.get("content-type")?.startsWith("text/html") && html !== shown) {
        performance.mark("morph-begin");
        morph(html);
        performance.measure("morph", "morph-begin");
        shown = html;
      }
    } catch { stale = true; pause = 1000; }
    fetching = false;
    if (stale && !document.hidden) window.setTimeout(refresh, pause);
  }

  function morph(html) {
    const moved = places();
    Idiomorph.morph(page(), html, {
      morphStyle: "outerHTML",
      ignoreActiveValue: true,
      callbacks: {
        beforeNodeMorphed: (old, fresh) => !(old.nodeType === 1 && old.isEqualNode(fresh)) && !kept(old),
        beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
      },
    });
    slide(moved);
    told();
    tick();
    localise();
    window.startReplays?.();
    document.dispatchEvent(new Event("page:changed"));
  }

  // What the script itself has put there, and what somebody is writing.
  const kept = (node) => node.nodeType === 1 && ["link", "sign-in", "class", "answer", "reason", "replay"].includes(node.id);

  // Rows of the standings slide to their new places.
  function places() {
    const rows = calm.matches ? [] : document.querySelectorAll("#standings > tr");
    return new Map([...rows].map((row) => [row.id, row.offsetTop]));
  }
  function slide(before) {
    if (!before.size) return;
    const steps = [...document.querySelectorAll("#standings > tr")].map((row) => [row, before.get(row.id) - row.offsetTop]);
    for (const [row, by] of steps) {
      if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 450, easing: "ease-out" });
    }
  }

  // Clocks run by the manager's time: what a browser believes the time to be may be wrong.
  let skew = 0;
  function tick() {
    for (const clock of document.querySelectorAll("[data-since]")) {
      const since = Date.parse(clock.dataset.since);
      if (Number.isNaN(since)) continue;
      const seconds = Math.max(0, Math.floor((Date.now() + skew - since) / 1000));
      const words = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
      if (clock.textContent !== words) clock.textContent = words;
    }
    for (const clock of document.querySelectorAll("[data-until]")) {
      const until = Date.parse(clock.dataset.until);
      if (Number.isNaN(until)) continue;
      const left = Math.max(0, Math.ceil((until - Date.now() - skew) / 1000)), two = (part) => String(part).padStart(2, "0");
      if ("left" in clock.dataset) {
        if (clock.textContent !== `${left} s left`) clock.textContent = `${left} s left`;
        continue;
      }
      const days = Math.floor(left / 86400), hours = Math.floor((left % 86400) / 3600);
      const { passed, verb } = clock.dataset; // a league that goes on waiting is told a moment after its deadline
      const late = passed && Date.now() + skew - until > 3000;
      const words = late ? passed : `${verb ? `${verb} ` : ""}in ${days ? `${days} d ` : ""}${hours}:${two(Math.floor((left % 3600) / 60))}:${two(left % 60)}`;
      if (clock.textContent !== words) clock.textContent = words;
    }
  }

  // Times are told in UTC; whoever looks at them reads them in the time of the place, with UTC under the pointer.
  const local = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hour12: false });
  function localise() {
    for (const time of document.querySelectorAll("time.at")) {
      const at = Date.parse(time.dateTime);
      if (!Number.isNaN(at) && new Date(at).getTimezoneOffset()) time.textContent = local.format(at);
    }
    const find = document.getElementById("find");
    if (find) find.hidden = false;
  }

  document.addEventListener("change", (event) => {
    const address = event.target.dataset?.address;
    if (address) location.href = address + encodeURIComponent(event.target.value.trim().split(" ").pop());
  });

  function announce(words) {
    const place = document.getElementById("announcer");
    if (words && place.textContent !== words) place.textContent = words;
  }

  function listen() {
    source?.close();
    source = null;
    if (document.hidden) return;
    source = new EventSource(`/events?seen=${encodeURIComponent(seen)}`);
    source.onopen = () => { failures = 0; window.clearInterval(polling); polling = 0; connected = true; told(); };
    source.addEventListener("now", (event) => { skew = Date.parse(event.data) - Date.now(); tick(); });
    source.addEventListener("changed", (event) => {
      seen = event.lastEventId;
      announce(JSON.parse(event.data).news);
      refresh();
    });
    source.onerror = () => {
      connected = false;
      link("lost", "reconnecting …");
      told();
      // A browser tries again by itself, unless it was turned away.
      if (source?.readyState !== EventSource.CLOSED) return;
      failures += 1;
      window.setTimeout(listen, Math.min(SLOWEST_MS, 500 * 2 ** failures));
      if (!polling) polling = window.setInterval(refresh, POLL_MS);
    };
  }

  // A browser has few connections for each server: a page that nobody looks at gives its one back.
  document.addEventListener("visibilitychange", () => { listen(); if (!document.hidden && stale) refresh(); });
  window.addEventListener("pagehide", () => source?.close());
  window.addEventListener("pageshow", (event) => { if (event.persisted) { listen(); refresh(); } });
  window.setInterval(tick, 1000);
  // Turn and clocks of a match under way are no records, so nothing tells of them.
  window.setInterval(() => { if (document.querySelector("[data-refresh]")) refresh(); }, RUNNING_MS);
  tick();
  localise();
  if (new Date().getTimezoneOffset()) document.getElementById("zone").textContent = "times are yours; UTC is under the pointer";
  window.startReplays?.();
  listen();
})();
