"""Switches the search for garbage off: the first module that the fork server loads.

What modules make stays, and to look for garbage among it takes an eighth of the time of their import. Children switch
it on again (`servers.agent.memory.settle_memory`); the fork server itself makes no garbage.
"""

import gc

gc.disable()
