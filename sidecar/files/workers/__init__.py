"""Worker processes that read files, so that neither parsing nor scanning delays a request.

`warm` and `index/map_files.py` send batches to a `pool` of `worker` processes; `ranker` is a process of its own.
"""
