"""Sessions, claims and reminders of a workspace, without any state beside the store's."""
