"""Experiments: many matches of strategies, without agents and wire or in leagues."""
