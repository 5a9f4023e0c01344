// A player of Even/Odd as answers by tool, which each framework serves in its own way.
const message = (message_type, { match_id, player_id }, fields) => ({
  protocol: "league.v2",
  message_type,
  sender: `player:${player_id}`,
  timestamp: new Date().toISOString(),
  match_id,
  player_id,
  ...fields,
});

const ok = () => ({ status: "ok" });

export const tools = {
  handle_game_invitation: (asked) =>
    message("GAME_JOIN_ACK", asked, { accept: true, arrival_timestamp: new Date().toISOString() }),
  choose_parity: (asked) =>
    message("CHOOSE_PARITY_RESPONSE", asked, { parity_choice: Math.random() < 0.5 ? "even" : "odd" }),
  notify_match_result: ok,
  notify_game_error: ok,
  notify_round: ok,
  update_standings: ok,
  notify_round_completed: ok,
  notify_league_completed: ok,
};

export const port = Number(process.env.PORT);
