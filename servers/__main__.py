"""`python -m servers` is the command `league`."""

from servers.cli import main

main()
