"""Worker processes that read files, so that neither parsing nor scanning delays a request."""
