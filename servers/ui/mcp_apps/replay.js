connect((data) => {
  const names = data.players.map((player) => `${player.player_id} “${said(player.display_name)}”`);
  const steps = said(data.transcript) ? data.transcript.untrusted : [];
  let shown = 0;
  const list = make("ol", null, []);
  const next = make("button", "Next step");
  const all = make("button", "All steps");
  const end = make("p", "");
  const step = () => {
    const entry = steps[shown];
    shown += 1;
    const who = entry.to ? `to ${said(entry.to)}` : `from ${said(entry.from)}`;
    const what = ["choice", "accept", "error_code"]
      .filter((name) => name in entry)
      .map((name) => `${name}: ${said(entry[name])}`);
    list.appendChild(make("li", [said(entry.message_type), who, ...what].join(", ")));
  };
  const finish = () => {
    const points = Object.entries(data.score).map(([player, score]) => `${player} ${score}`);
    const won = data.winner ? `${data.winner} wins` : "Nobody wins";
    end.textContent = `${data.status}: ${won}. Points: ${points.join(", ")}. ${said(data.reason)}`;
    next.disabled = true;
    all.disabled = true;
  };
  const advance = (count) => {
    for (let place = 0; place < count && shown < steps.length; place += 1) step();
    if (shown >= steps.length) finish();
  };
  next.addEventListener("click", () => advance(1));
  all.addEventListener("click", () => advance(steps.length));
  advance(1);
  return [
    make("h1", `Match ${data.match_id}, round ${data.round_id}`),
    make("p", names.join(" against ")),
    list,
    next,
    all,
    end,
  ];
});
