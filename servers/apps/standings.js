connect((data) => [
  make("h1", `Standings of ${data.league_id}`),
  make("p", `${data.state}; round ${data.current_round} of ${data.total_rounds}`),
  table(
    ["#", "player", "name", "played", "won", "drawn", "lost", "points"],
    data.standings.map((standing) => [
      standing.rank,
      standing.removed ? `${standing.player_id} (removed)` : standing.player_id,
      said(standing.display_name),
      standing.played,
      standing.wins,
      standing.draws,
      standing.losses,
      standing.points,
    ]),
  ),
]);
