"""File memory: what is known about the content of each file, and the briefing an agent gets in place of the file.

`memory` answers for one file and `index` for all of them; the record of a content, made from its bytes alone and stored
by content hash, comes from `outline` where a grammar exists and from `structure` elsewhere. The room neither walks nor
watches the file system (`checkout` does), calls no model, and knows nothing about memories, requests or JSON.
"""
