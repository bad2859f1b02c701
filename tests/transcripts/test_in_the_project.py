"""aider's history, which lies in the project itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sidecar.transcripts.discovery import FoundSessions
from tests.client.git import git
from tests.transcripts.conftest import Write, said, tools
from tests.transcripts.test_claude import entry

AIDER = """
# aider chat started at 2024-08-05 19:33:02

> Aider v0.48.1
> Git repo: .git with 21 files

#### Use tabs
#### in this repository.

I will.

```python
x = 1
```

> Tokens: 4,057 sent, 192 received.
> Applied edit to src/a.py
> Commit 414c394 feat: tabs

#### /add b.py

> Added b.py to the chat

#### /ask why?

# aider chat started at 2024-08-06 08:00:00

#### Never push.
"""


def test_an_aider_history_is_read_as_sessions(project: Path, found: Callable[..., FoundSessions]) -> None:
    (project / ".aider.chat.history.md").write_text(AIDER)
    first, second = found().here
    assert (first.session_id, second.session_id) == ("aider 2024-08-05 19:33:02", "aider 2024-08-06 08:00:00")
    events = list(first.events())
    assert said(events) == ["Use tabs\nin this repository.", "why?"]
    assert tools(events) == [("Edit", {"file_path": "src/a.py"}, 0, False)]
    assert said(events, "agent") == ["I will.\n\n```python\nx = 1\n```"]
    assert said(second.events()) == ["Never push."]
    with open(project / ".aider.chat.history.md", "a") as file:
        file.write("\n#### One more.\n")
    again, grown = found().here
    assert (again.stamp, said(grown.events())) == (first.stamp, ["Never push.", "One more."])


def test_a_session_that_is_here_twice_is_one(project: Path, write: Write, found: Callable[..., FoundSessions]) -> None:
    line = entry("user", "Use tabs.", 1, project)
    write(".claude/projects/-work-shop/5a1e0000.jsonl", [line])
    write(".qwen/projects/-work-shop/chats/5a1e0000.jsonl", [{**line, "sessionId": "5a1e0000"}])
    assert [each.agent for each in found().here] == ["claude-code"]


def test_transcripts_in_the_repository_may_be_anybody_s(project: Path, found: Callable[..., FoundSessions]) -> None:
    (project / ".aider.chat.history.md").write_text(AIDER)
    git(project, "add", "-A")
    looked = found()
    assert looked.here == []
    assert "other people's" in looked.problems[0].reason
    assert len(found("aider").here) == 2
