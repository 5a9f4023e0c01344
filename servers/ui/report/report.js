"use strict";
(async () => {
  // Everything that agents said goes into text nodes and attributes, never into markup.
  const data = await unpacked(document.getElementById("data"));
  const { players, matches, referees, texts, limits } = data;
  const matchOf = new Map(matches.map((match, place) => [match.id, place]));
  const playerOf = new Map(players.map((player, place) => [player.id, place]));
  const rounds = Math.max(0, ...matches.map((match) => match.round));
  const PAGE = 100;

  const make = (name, attributes = {}, ...content) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(key, value);
      else if (value === true) element.setAttribute(key, "");
      else if (value !== false && value != null) element.setAttribute(key, value);
    }
    element.append(...content.flat(Infinity).filter((part) => part != null && part !== false));
    return element;
  };
  const seconds = (value) => (value == null ? "" : value < 1 ? `${+(value * 1000).toPrecision(3)} ms` : `${+value.toPrecision(3)} s`);
  const plural = (number, thing) => `${number} ${thing}${number === 1 ? "" : thing.endsWith("ch") ? "es" : "s"}`;
  const name = (place) => make("bdi", {}, players[place].name);
  const playerLink = (place, kind = "") =>
    make("a", { href: `#/${players[place].id}`, class: `player ${kind}` }, name(place), " ", make("span", { class: "id" }, players[place].id));
  const refereeName = (id) => (id == null ? "" : referees[id] ? `${referees[id]} (${id})` : id);

  // ---- the list of matches

  const verdict = (match) => {
    if (match.stage !== "decided") return [match.stage, match.stage === "void" ? "bad" : ""];
    if (match.status === "DRAW") return ["draw", "even"];
    return match.status === "WIN" ? ["win", "good"] : ["technical loss", "bad"];
  };
  const score = (match) => (match.points ? match.points.join(" : ") : "– : –");

  const row = (match) => {
    const [told, kind] = verdict(match);
    const won = (seat) => (match.winner === match.players[seat] ? "won" : "");
    return make("tr", {},
      make("td", {}, make("a", { href: `#/${match.id}` }, match.id)),
      make("td", { class: "right" }, playerLink(match.players[0], won(0))),
      make("td", { class: "score" }, score(match)),
      make("td", {}, playerLink(match.players[1], won(1))),
      make("td", {}, make("span", { class: `tag ${kind}` }, told)),
      make("td", { class: "num hide-small" }, seconds(match.seconds)),
      make("td", { class: "hide-small" }, refereeName(match.referee)));
  };

  const KINDS = {
    all: ["every result", () => true],
    win: ["won", (match) => match.status === "WIN"],
    draw: ["drawn", (match) => match.status === "DRAW"],
    technical: ["technical losses", (match) => match.status === "TECHNICAL_LOSS"],
    void: ["void", (match) => match.stage === "void"],
    open: ["not decided yet", (match) => match.stage !== "decided" && match.stage !== "void"],
  };
  const chosen = { round: matches.length > 2 * PAGE ? "1" : "", player: "", kind: "all" };
  let chosenMatches = matches, shown = 0;

  const select = (label, options, key) =>
    make("label", {}, label, make("select", {
      id: `filter-${key}`,
      change: (event) => { chosen[key] = event.target.value; draw(); },
    }, options.map(([value, text]) => make("option", { value, selected: value === chosen[key] }, text))));

  const body = make("tbody");
  const more = make("button", { type: "button", class: "more", click: () => extend() });

  function draw() {
    const fits = KINDS[chosen.kind][1];
    const player = chosen.player === "" ? -1 : Number(chosen.player);
    chosenMatches = matches.filter((match) =>
      (chosen.round === "" || match.round === Number(chosen.round)) &&
      (player < 0 || match.players.includes(player)) && fits(match));
    shown = 0;
    body.replaceChildren();
    extend();
  }

  function extend() {
    body.append(...chosenMatches.slice(shown, shown + PAGE).map(row));
    shown = Math.min(shown + PAGE, chosenMatches.length);
    const rest = chosenMatches.length - shown;
    more.hidden = rest === 0;
    more.textContent = `Show ${Math.min(PAGE, rest)} more`;
    document.getElementById("shown").textContent =
      rest ? `${shown} of ${plural(chosenMatches.length, "match")}` : plural(chosenMatches.length, "match");
  }

  function list() {
    if (!matches.length) {
      document.getElementById("shown").textContent = "There is no schedule yet.";
      return;
    }
    const filters = document.getElementById("filters");
    const turns = Array.from({ length: rounds }, (_, place) => [String(place + 1), `round ${place + 1}`]);
    const kinds = Object.entries(KINDS).filter(([, [, fits]]) => matches.some(fits));
    filters.append(
      select("Round", [["", "every round"], ...turns], "round"),
      select("Player", [["", "everybody"], ...players.map((player, place) => [String(place), `${player.name} ${player.id}`])], "player"),
      select("Result", kinds.map(([key, [label]]) => [key, label]), "kind"));
    filters.hidden = false;
    const heads = [["Match"], ["", "right"], ["Points", "score"], [""], ["Result"], ["Time", "num hide-small"], ["Referee", "hide-small"]];
    document.getElementById("list").append(
      make("div", { class: "scroll", role: "region", "aria-label": "List of matches", tabindex: 0 },
        make("table", { class: "list" },
          make("thead", {}, make("tr", {}, heads.map(([text, kind]) => (text ? make("th", { scope: "col", class: kind }, text) : make("td", {}))))),
          body)),
      more);
    draw();
  }

  // ---- the dialog: a match or a player

  const dialog = document.getElementById("dialog");
  let open = "", keys = {}, timer = 0, before = null;

  function show(address, title, buttons, content) {
    stop();
    const close = make("button", { type: "button", "aria-label": "Close", click: () => leave() }, "✕");
    const heading = make("h2", { id: "dialog-title", tabindex: -1 }, title);
    dialog.replaceChildren(
      make("div", { class: "bar" }, heading, buttons, close),
      make("div", { class: "inside" }, content));
    if (!dialog.open) {
      before = document.activeElement;
      dialog.showModal();
    }
    dialog.scrollTop = 0;
    heading.focus();
    open = address;
  }

  function leave() {
    history.replaceState(null, "", location.pathname + location.search);
    hide();
  }

  function hide() {
    stop();
    open = "";
    keys = {};
    if (dialog.open) dialog.close();
    if (before && before.isConnected) before.focus({ preventScroll: true });
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
  }

  dialog.addEventListener("cancel", (event) => { event.preventDefault(); leave(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) leave(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
    const act = keys[event.key];
    if (!act || (event.key === " " && event.target.matches("button, a, summary"))) return;
    event.preventDefault();
    act();
  });

  function step(label, words, place, to) {
    const go = () => { if (matches[place]) location.hash = `/${matches[place].id}`; };
    return [make("button", { type: "button", disabled: !matches[place], "aria-label": words, title: `${words} (${to})`, click: go }, label), go];
  }

  function showMatch(place) {
    const match = matches[place];
    const [told, kind] = verdict(match);
    const [back, goBack] = step("◀", "Match before", place - 1, "P");
    const [on, goOn] = step("▶", "Next match", place + 1, "N");
    const side = (seat) => make("div", { class: "side" }, playerLink(match.players[seat]),
      match.winner === match.players[seat] && make("div", { class: "won-by" }, "winner"));
    const content = [
      make("div", { class: "versus" }, side(0), make("div", { class: "score", "aria-label": "Points" }, score(match)), side(1)),
      make("p", {}, make("span", { class: `tag ${kind}` }, told), " ",
        match.reason == null ? "" : make("bdi", {}, texts[match.reason])),
      make("p", { class: "soft small" }, [
        `Round ${match.round}`,
        match.referee && `referee ${refereeName(match.referee)}`,
        match.attempt > 1 && `attempt ${match.attempt}`,
        match.seconds != null && `took ${seconds(match.seconds)}`,
      ].filter(Boolean).join(" · ")),
    ];
    keys = { n: goOn, p: goBack };
    if (match.stage === "decided") {
      content.push(
        match.faults.map(([player, text]) =>
          make("p", { class: "fault" }, make("strong", {}, name(player), ` ${players[player].id} `), `${text}.`)),
        match.substituted.map(([player, number, text]) =>
          make("p", {}, make("strong", {}, name(player), ` ${players[player].id} `), `${number} ${number === 1 ? "move was" : "moves were"} substituted; ${text}.`)),
        make("div", { class: "two" },
          make("div", {}, make("h3", {}, "Step by step"), replay(match), drawOf(match)),
          make("div", {}, make("h3", {}, "What was said"), conversation(match))));
    } else {
      content.push(make("p", {}, match.stage === "void"
        ? "This match could not be played, through no fault of a player. It counts for nobody."
        : "This match is not decided yet."));
    }
    show(match.id, match.id, [back, on], content);
  }

  function replay(match) {
    const { frames, agrees, why } = match.replay;
    if (!frames.length) return make("p", { class: "soft" }, why || "There is nothing to play back.");
    let at = 0;
    const board = make("pre", { class: "board", tabindex: 0, "aria-label": "Position" });
    const moves = make("p", { class: "moves", "aria-live": "polite" });
    const range = make("input", { type: "range", min: 0, max: frames.length - 1, value: 0, "aria-label": "Step", input: () => { stop(); to(Number(range.value)); } });
    const button = (label, words, act) => make("button", { type: "button", "aria-label": words, title: words, click: act }, label);
    const first = button("«", "To the beginning (Home)", () => { stop(); to(0); });
    const back = button("‹", "One step back (←)", () => { stop(); to(at - 1); });
    const play = button("Play", "Play or pause (space)", () => run());
    const on = button("›", "One step on (→)", () => { stop(); to(at + 1); });
    const last = button("»", "To the end (End)", () => { stop(); to(frames.length - 1); });
    const pace = make("select", { "aria-label": "Speed", title: "Speed" },
      [["2000", "½×"], ["1000", "1×"], ["500", "2×"], ["200", "5×"]].map(([value, text]) => make("option", { value, selected: value === "1000" }, text)));

    function to(place) {
      at = Math.max(0, Math.min(frames.length - 1, place));
      const [made, position] = frames[at];
      board.textContent = texts[position];
      range.value = at;
      const parts = made.flatMap((move, seat) => (move == null ? [] : [[match.players[seat], move]]));
      moves.replaceChildren(make("span", { class: "soft" }, `${at} of ${frames.length - 1}  `),
        ...(parts.length ? parts.flatMap(([player, move]) => [name(player), " played ", make("strong", {}, make("bdi", {}, move)), ". "]) : ["The position before the first move."]));
      first.disabled = back.disabled = at === 0;
      on.disabled = last.disabled = at === frames.length - 1;
      if (on.disabled && timer) halt();
    }
    function halt() { stop(); play.textContent = "Play"; }
    function run() {
      if (timer) return halt();
      if (at === frames.length - 1) to(0);
      play.textContent = "Pause";
      timer = setInterval(() => to(at + 1), Number(pace.value));
    }
    pace.addEventListener("change", () => { if (timer) { halt(); run(); } });
    Object.assign(keys, {
      ArrowLeft: () => { halt(); to(at - 1); }, ArrowRight: () => { halt(); to(at + 1); },
      Home: () => { halt(); to(0); }, End: () => { halt(); to(frames.length - 1); }, " ": run,
    });
    const outcome = agrees === true ? "✓ Played again from its moves and its draw, it comes to the recorded end."
      : agrees === false ? "✗ Played again, it comes to another end than the recorded one." : why;
    const element = make("div", {}, board, make("div", { class: "controls" }, first, back, play, on, last, range, pace), moves,
      make("p", { class: agrees === false ? "fault" : "soft small" }, outcome));
    to(0);
    return element;
  }

  function drawOf(match) {
    const { commitment, secret, nonces, seed, checks } = match.draw;
    if (!commitment && !checks.length) return make("div", {}, make("h3", {}, "The draw"), make("p", { class: "soft" }, "The referee published none."));
    const pairs = [["Commitment", commitment], ["Secret", secret], ...nonces.map((nonce, seat) => [`Nonce of ${players[match.players[seat]].id}`, nonce]), ["Seed", seed]];
    return make("div", {},
      make("h3", {}, "The draw"),
      checks.length
        ? make("ul", { class: "checks" }, checks.map(([claim, held]) => make("li", { class: held ? "" : "no" }, held ? "✓ " : "✗ NOT SO: ", claim)))
        : make("p", { class: "soft" }, "The referee revealed nothing, so it cannot be verified."),
      make("details", {}, make("summary", {}, "The numbers"),
        make("table", { class: "pairs small" }, make("tbody", {},
          pairs.filter(([, value]) => value).map(([label, value]) => make("tr", {}, make("th", { scope: "row" }, label), make("td", {}, make("code", {}, value))))))));
  }

  const ASKED = { GAME_INVITATION: "invites", GAME_OVER: "tells the result to", GAME_ERROR: "tells of an error" };

  function conversation(match) {
    const who = (seat) => (seat < 0 ? make("span", { class: "who" }, "Referee") : make("span", { class: "who" }, name(match.players[seat])));
    return make("ol", { class: "talk" }, match.lines.map(([offset, type, speaker, listener, choice, waited, accepted, error, substituted]) => {
      const kind = texts[type];
      const said = [who(speaker), " "];
      if (error != null) said.push("gave no proper answer to ", make("code", {}, kind), ` (${texts[error]})`);
      else if (choice != null) said.push("plays ", make("span", { class: "choice" }, make("bdi", {}, texts[choice])), substituted != null && ` (substituted: ${texts[substituted]})`);
      else if (accepted != null) said.push(accepted ? "accepts the invitation" : "declines the invitation");
      else if (speaker < 0) said.push(ASKED[kind] ?? "asks for a move:", " ", who(listener));
      else said.push(make("code", {}, kind));
      const time = make("time", { title: kind }, offset == null ? "" : `+${offset.toFixed(3)} s`);
      const took = waited == null ? null : make("span", { class: "waited" }, ` after ${seconds(waited)}`);
      return make("li", { class: error != null ? "failed said" : speaker < 0 ? "" : "said" }, time, make("p", {}, said, took));
    }));
  }

  function showPlayer(place) {
    const player = players[place];
    const [rank, played, wins, draws, losses, technical, points] = player.row;
    const own = matches.filter((match) => match.players.includes(place));
    const drawn = player.chart && new DOMParser().parseFromString(player.chart, "image/svg+xml").documentElement;
    const numbers = [["rank", rank], ["points", points], ["won", wins], ["drawn", draws], ["lost", losses], ["technical", technical], ["win rate", `${+(player.rate * 100).toFixed(2)} %`]];
    const opponent = (match) => match.players.find((other) => other !== place);
    const how = (match) => {
      if (match.stage !== "decided") return [match.stage, match.stage === "void" ? "bad" : ""];
      if (match.status === "DRAW") return ["drew", "even"];
      const won = match.status === "WIN" ? match.winner === place : !match.faults.some(([other]) => other === place);
      return [(won ? "won" : "lost") + (match.status === "TECHNICAL_LOSS" ? " technically" : ""), won ? "good" : "bad"];
    };
    const waits = Object.entries(player.speeds).map(([kind, [answers, median, p95, slowest]]) =>
      make("tr", {}, make("th", { scope: "row" }, kind === "join" ? "accepting an invitation" : "a move"),
        [answers, seconds(median), seconds(p95), seconds(slowest), limits[kind] == null ? "–" : seconds(limits[kind])].map((cell) => make("td", { class: "num" }, cell))));
    keys = {
      n: () => { if (players[place + 1]) location.hash = `/${players[place + 1].id}`; },
      p: () => { if (players[place - 1]) location.hash = `/${players[place - 1].id}`; },
    };
    const step = (label, words, to) => make("button", { type: "button", "aria-label": words, title: words, disabled: !players[to], click: () => { location.hash = `/${players[to].id}`; } }, label);
    show(player.id, [name(place), " ", make("span", { class: "id" }, player.id, player.removed && " · removed by the operator")],
      [step("◀", "Player before (P)", place - 1), step("▶", "Next player (N)", place + 1)], [
        make("dl", { class: "numbers" }, numbers.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, String(value))))),
        player.substituted.length > 0 && make("div", {}, make("h3", {}, "Substituted moves"),
          make("p", { class: "soft" }, "The player says so itself; they cost nothing."),
          player.substituted.map(([match, text]) => make("p", {}, make("a", { href: `#/${match}` }, match), `: ${text}.`))),
        player.byes.length > 0 && make("p", { class: "soft" }, `Sits out round ${player.byes.join(", ")}.`),
        player.failures.length > 0 && make("div", {}, make("h3", {}, "Technical losses"),
          player.failures.map(([match, text]) => make("p", { class: "fault" }, make("a", { href: `#/${match}` }, match), " ", name(place), ` ${text}.`))),
        waits.length > 0 && make("div", {}, make("h3", {}, "Reply times"),
          make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, make("td"),
            ["answers", "half within", "95 % within", "slowest", "deadline"].map((text) => make("th", { scope: "col", class: "num" }, text)))), make("tbody", {}, waits))),
          drawn && make("div", { class: "scroll", role: "region", "aria-label": "Time for each move", tabindex: 0 },
            make("figure", {}, document.importNode(drawn, true)))),
        make("h3", {}, "Matches"),
        make("div", { class: "scroll" }, make("table", { class: "list" }, make("tbody", {}, own.map((match) => {
          const [told, kind] = how(match);
          const mine = match.players.indexOf(place);
          return make("tr", {}, make("td", {}, make("a", { href: `#/${match.id}` }, match.id)),
            make("td", {}, make("span", { class: `tag ${kind}` }, told)),
            make("td", {}, "against ", playerLink(opponent(match))),
            make("td", { class: "score" }, match.points ? `${match.points[mine]} : ${match.points[1 - mine]}` : ""));
        })))),
      ]);
  }

  function follow() {
    const address = location.hash.slice(1).replace(/^\//, "");
    if (address === open && dialog.open) return;
    if (matchOf.has(address)) showMatch(matchOf.get(address));
    else if (playerOf.has(address)) showPlayer(playerOf.get(address));
    else if (dialog.open) hide();
  }

  // A large cross-table has no links: its rows and columns stand in the order of the players.
  document.querySelector(".cross.many tbody")?.addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    if (!cell) return;
    const [row, column] = [cell.parentElement.rowIndex - 1, cell.cellIndex - 1];
    const met = matches.find((match) => row !== column && match.players.includes(row) && match.players.includes(column));
    if (met) location.hash = `/${met.id}`;
  });

  list();
  addEventListener("hashchange", follow);
  follow();

  async function unpacked(element) {
    if (element.type === "application/json") return JSON.parse(element.textContent);
    const bytes = Uint8Array.from(atob(element.textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }
})().catch(() => {
  document.getElementById("shown").textContent = "This browser is too old to show the matches.";
});
