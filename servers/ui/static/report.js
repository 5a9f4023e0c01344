"use strict";
// Shows matches and players of a report on demand. All of them are HTML from the templates of the live page, in which
// whatever agents said is escaped; the policy of this file allows no other script.
(async () => {
  const PAGE = 100;
  const find = (id) => document.getElementById(id);
  const { matches, players, pages } = await unpacked(find("data"));
  const dialog = find("dialog");
  let chosen = [], shown = 0, open = "", before = null;

  async function unpacked(element) {
    if (element.type === "application/json") return JSON.parse(element.textContent);
    const bytes = Uint8Array.from(atob(element.textContent), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  }

  // ---- the list of matches

  function filter() {
    const [round, player, kind] = ["round", "player", "kind"].map((name) => find(`filter-${name}`).value);
    chosen = matches.filter((match) =>
      (!round || match.round === Number(round)) && (!player || match.players.includes(player)) && (!kind || match.kind === kind));
    shown = 0;
    find("list").replaceChildren();
    extend();
  }

  function extend() {
    find("list").insertAdjacentHTML("beforeend", chosen.slice(shown, shown + PAGE).map((match) => match.card).join(""));
    shown = Math.min(shown + PAGE, chosen.length);
    find("more").hidden = shown === chosen.length;
    const all = `${chosen.length} ${chosen.length === 1 ? "match" : "matches"}`;
    find("shown").textContent = shown === chosen.length ? all : `${shown} of ${all}`;
  }

  if (matches.length) {
    find("filters").hidden = false;
    find("filters").addEventListener("change", filter);
    find("more").addEventListener("click", extend);
    filter();
  }

  // ---- the dialog: a match or a player

  function follow() {
    const address = location.hash.slice(2);
    if (address === open && dialog.open) return;
    if (location.hash.startsWith("#/") && address in pages) show(address);
    else hide();
  }

  function show(address) {
    open = address;
    find("inside").innerHTML = pages[address];
    const title = find("inside").querySelector("h1");
    title.id = "dialog-title";
    title.tabIndex = -1;
    find("previous").disabled = !neighbour(-1);
    find("next").disabled = !neighbour(1);
    startReplays();
    if (!dialog.open) {
      before = document.activeElement;
      dialog.showModal();
    }
    dialog.scrollTop = 0;
    title.focus();
  }

  function neighbour(by) {
    const [kind] = open.split("/"), order = kind === "matches" ? matches.map((match) => match.id) : players;
    const other = order[order.indexOf(open.slice(kind.length + 1)) + by];
    return other && `${kind}/${other}`;
  }

  function go(by) {
    const other = neighbour(by);
    if (other) location.hash = `/${other}`;
  }

  function hide() {
    if (!dialog.open) return;
    open = "";
    dialog.close();
    find("inside").replaceChildren();
    if (before?.isConnected) before.focus({ preventScroll: true });
  }

  function leave() {
    history.replaceState(null, "", location.pathname + location.search);
    hide();
  }

  find("previous").addEventListener("click", () => go(-1));
  find("next").addEventListener("click", () => go(1));
  find("close").addEventListener("click", leave);
  dialog.addEventListener("cancel", (event) => { event.preventDefault(); leave(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) leave(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
    if (event.key === "n") go(1);
    if (event.key === "p") go(-1);
  });

  // The cells of a large cross-table have no links: its first row and column say who met.
  document.addEventListener("click", (event) => {
    const cell = event.target.closest(".cross.many td");
    const player = (heading) => heading?.querySelector("a").hash.split("/").pop();
    const head = cell?.closest("table").tHead.rows[0].cells[cell.cellIndex];
    const [row, column] = cell?.matches(".win, .draw, .loss") ? [player(cell.parentElement.cells[1]), player(head)] : [];
    const met = row && matches.find((match) => row !== column && match.players.includes(row) && match.players.includes(column));
    if (met) location.hash = `/matches/${met.id}`;
  });

  addEventListener("hashchange", follow);
  follow();
})().catch(() => {
  document.getElementById("shown").textContent = "This browser is too old to show the matches.";
});
