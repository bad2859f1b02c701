"""File memory: what is known of a file's content, and the briefing that stands for it in front of an agent.

`memory` answers for one file and `index` for all of them. A content's record is made from its bytes alone and kept by
content hash: `outline` makes it where a grammar exists and `structure` elsewhere, and `scan` feeds the map; `workers`
do this in processes of their own. `briefing` renders records, `graph` ranks files for the repository map, `retrieval`
finds files by a text, `symbols` hashes symbols, and `facets` holds what was learned. The room neither walks nor
watches the file system (`checkout` does), calls no model, and knows nothing of memories, requests or JSON.
"""
