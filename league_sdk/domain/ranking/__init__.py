"""Standings, places and tie-breaks."""
