"""What agents on a network are guarded by: caps on connections, rules for addresses, TLS, bounds on JSON."""
