"""File memory: what is known of a file's content, and the briefing that stands for it in front of an agent.

A content's record is made from its bytes alone (`outline/` with grammars, `structure/` for everything else), kept
by content hash, and rendered on demand (`render`); `imports` finds which imports are files of the workspace, `advice`
says when to read the file instead, `facet_book` holds what was learned and carries it across edits, `memory` holds
pointers, freshness and warm-up together. The room does not walk or watch the file system (`checkout/` does), knows
nothing of memories, requests or JSON, and calls no model.
"""
