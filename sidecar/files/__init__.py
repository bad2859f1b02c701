"""File memory: the content of each file, and the briefing that an agent gets in place of the file.

`memory` answers for one file and `index` for all files; `engine` calls both. `outline` and `structure` make the record
of a content from its bytes alone. The room neither walks nor watches the file system (`checkout` does), calls no model,
and knows nothing about memories, requests or JSON.
"""
