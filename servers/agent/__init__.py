"""Parts of every agent: server, bootstrap, identity, registration, storage."""
