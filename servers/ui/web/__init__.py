"""The web page of a league: what a browser sees of it, live. It shows what is public, and changes nothing."""
