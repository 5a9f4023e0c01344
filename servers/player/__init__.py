"""The player: answers invitations, asks its strategy, remembers results."""
