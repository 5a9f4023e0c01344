"""From run options to agents that run: plan, processes, ports, supervisor."""
