connect((data) => {
  // A column of its own, only where somebody has any.
  const substituted = (standing) => Object.values(standing.substituted ?? {}).reduce((sum, number) => sum + number, 0);
  const some = data.standings.some((standing) => substituted(standing) > 0);
  const left = (standing) => `removed${standing.expunged ? ", results expunged" : ""}`;
  const mark = (standing) => standing.removed ? ` (${left(standing)})` : standing.sitting_out ? ` (sits out: ${standing.sitting_out})` : "";
  const rated = data.standings.some((standing) => standing.rating !== undefined);
  const rating = (standing) => standing.rating === undefined ? "" : `${standing.rating} ± ${standing.rating_margin ?? "?"}`;
  return [
    make("h1", `Standings of ${data.league_id}`),
    make("p", data.progress),
    table(
      ["#", "player", "name", "played", "won", "drawn", "lost", ...(some ? ["substituted moves"] : []), "points", ...(rated ? ["rating"] : [])],
      data.standings.map((standing) => [
        standing.rank,
        standing.player_id + mark(standing),
        said(standing.display_name),
        standing.played,
        standing.wins,
        standing.draws,
        standing.losses,
        ...(some ? [substituted(standing)] : []),
        standing.points,
        ...(rated ? [rating(standing)] : []),
      ]),
    ),
    ...(data.ratings ? [make("p", data.ratings)] : []),
  ];
});
