"""Commands that keep leagues: back up, restore, list, archive, delete, move."""
