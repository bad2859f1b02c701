"""A model that follows a script: a real HTTP server on loopback which speaks what agents speak to their models.

OpenAI chat completions and Anthropic messages, streamed or not. The step is the number of tool results in the
request; when the script is over, or the tool was not offered, the answer is text.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

Step = Mapping[str, Any]
_numbers = count(1)


class ScriptedModel:
    """`requests` are the bodies that came, in order."""

    def __init__(self, script: Sequence[Step]) -> None:
        self.requests: list[dict[str, Any]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

            def do_HEAD(self) -> None:
                self._json({})

            def do_GET(self) -> None:
                self._json({"object": "list", "data": [{"id": "fake", "object": "model"}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                path = self.path.split("?")[0]
                if path.endswith("count_tokens"):
                    self._json({"input_tokens": 10})
                    return
                model.requests.append(body)
                events = _anthropic(body, script) if path.endswith("/messages") else _openai(body, script)
                if not body.get("stream"):
                    self._json(events[0])
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                for event in events[1:]:
                    name = f"event: {event['type']}\n" if "type" in event else ""
                    self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
                if "choices" in events[0]:
                    self.wfile.write(b"data: [DONE]\n\n")
                self.wfile.flush()

            def _json(self, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def said(self) -> str:
        """Everything that the model was sent."""
        return json.dumps(self.requests, ensure_ascii=False)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _decide(names: Sequence[str], step: int, script: Sequence[Step]) -> Step | str:
    if not names:
        return "A title"
    if step >= len(script):
        return "All done."
    wanted = script[step]
    if "text" in wanted:
        return str(wanted["text"])
    found = next((name for name in names if re.search(wanted["tool"], name)), None)
    if found is None:
        return f"There is no tool like {wanted['tool']} among {', '.join(names)}."
    return {"name": found, "args": wanted.get("args", {})}


def _openai(body: dict[str, Any], script: Sequence[Step]) -> list[dict[str, Any]]:
    """The whole answer, then its chunks."""
    names = [tool["function"]["name"] for tool in body.get("tools") or [] if tool.get("type") == "function"]
    step = sum(message.get("role") == "tool" for message in body["messages"])
    what = _decide(names, step, script)
    base = {"id": f"chatcmpl-{next(_numbers)}", "created": 1, "model": "fake"}
    message: dict[str, Any] = {"role": "assistant", "content": what}
    reason = "stop"
    if not isinstance(what, str):
        called = {"name": what["name"], "arguments": json.dumps(what["args"])}
        call = {"index": 0, "id": f"call_{next(_numbers)}", "type": "function", "function": called}
        message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    chunk = {**base, "object": "chat.completion.chunk"}
    return [
        {**base, "object": "chat.completion", "choices": [choice], "usage": usage},
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**chunk, "choices": [], "usage": usage},
    ]


def _anthropic(body: dict[str, Any], script: Sequence[Step]) -> list[dict[str, Any]]:
    """The whole answer, then its events."""
    names = [tool["name"] for tool in body.get("tools") or [] if tool.get("name")]
    step = sum(
        part.get("type") == "tool_result"
        for message in body["messages"]
        if isinstance(message.get("content"), list)
        for part in message["content"]
    )
    what = _decide(names, step, script)
    usage = {"input_tokens": 10, "output_tokens": 5}
    message: dict[str, Any] = {"id": f"msg_{next(_numbers)}", "type": "message", "role": "assistant"}
    message |= {"model": "fake", "stop_sequence": None, "usage": usage}
    block: dict[str, Any]
    first: dict[str, Any]
    if isinstance(what, str):
        block, first = {"type": "text", "text": what}, {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": what}
        reason = "end_turn"
    else:
        use = {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": what["name"]}
        block, first = {**use, "input": what["args"]}, {**use, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(what["args"])}
        reason = "tool_use"
    return [
        {**message, "content": [block], "stop_reason": reason},
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": first},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
