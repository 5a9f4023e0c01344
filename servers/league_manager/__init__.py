"""The league manager: registration, schedule, standings, and the course of the league."""
