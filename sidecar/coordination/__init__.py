"""Sessions, claims and reminders of a workspace; all state is in the store. The handlers in `engine` call it."""
