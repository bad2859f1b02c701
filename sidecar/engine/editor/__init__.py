"""What editors ask and no agent does: what is remembered about a file or symbol, as plain values to display."""
