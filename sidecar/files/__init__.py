"""File memory: what is known of a file's content, and the briefing that stands for it in front of an agent.

A content's record is made from its bytes alone (`outline/` where a grammar exists, `structure/` elsewhere), kept by
content hash and rendered on demand. The room neither walks nor watches the file system (`checkout/` does), calls no
model, and knows nothing of memories, requests or JSON.
"""
