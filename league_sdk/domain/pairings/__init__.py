"""Pairings of rounds, and what of a round is not played."""
