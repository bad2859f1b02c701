"""How the process runs: threads and their priority, long operations, cancellation, the log, ids and the error tree."""
