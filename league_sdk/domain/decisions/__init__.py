"""Decisions of a league, by kind of command: `league.decide` asks them."""
