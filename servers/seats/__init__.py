"""Hosted seats: endpoints of players that fetch their messages themselves."""
