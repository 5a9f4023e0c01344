"""The messages on the wire, and their mapping to the domain."""
