"""Values about a league's agents: expected, registered, sitting out."""
