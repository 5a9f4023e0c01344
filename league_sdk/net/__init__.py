"""Network protection of agents: limits, address rules, TLS, bounded JSON."""
