"""League manager: registration, schedule, standings, and running the league."""
