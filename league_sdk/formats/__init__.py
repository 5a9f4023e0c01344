"""Tournament formats, one file each, found by name through `league_sdk.plugins`."""
