"""The index of all files of a checkout, kept in step with file memory."""
