"""Everything that each agent has: server, bootstrap, identity, registration, security, storage."""
