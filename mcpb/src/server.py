"""Starts the seat: `league host`, with whatever the host passes on."""

import sys

from servers.cli import main

sys.argv[:1] = ["league", "host"]
main()
