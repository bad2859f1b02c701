"""A model that follows a script: a real HTTP server on loopback which speaks what agents speak to their models.

The step is the number of tool results in the request since the prompt that the script is for; when the script is
over, or the tool was not offered, the answer is text. `model_dialects` knows the wire formats.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.client.json_value import Json
from tests.client.model_dialects import Step, choose, dialect_of


class ScriptedModel:
    """`requests` are the bodies that came, in order.

    `others` are scripts for prompts that contain a text (a sub-agent's task, a later prompt); `plain` is the answer
    where no tools are offered (titles, summaries).
    """

    def __init__(
        self, script: Sequence[Step], others: Mapping[str, Sequence[Step]] | None = None, plain: str = "A title"
    ) -> None:
        self.requests: list[Json] = []
        scripts = others or {}
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

            def do_HEAD(self) -> None:
                self._json({})

            def do_GET(self) -> None:
                self._json({"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                path = self.path.split("?")[0]
                dialect = dialect_of(path)
                if dialect is None:
                    self._json({"input_tokens": 10, "totalTokens": 10})
                    return
                model.requests.append(body)
                events = dialect.say(choose(dialect.hear(body), script, scripts, plain))
                if not body.get("stream") and "stream" not in path:
                    self._json(events[0])
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                for event in events[1:]:
                    name = f"event: {event['type']}\n" if dialect.names_events else ""
                    self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
                if dialect.ends_with_done:
                    self.wfile.write(b"data: [DONE]\n\n")
                self.wfile.flush()

            def _json(self, body: object) -> None:
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def turns(self) -> list[Json]:
        """The requests that offer tools: not those for titles and the like, which an agent may make at any time."""
        return [request for request in list(self.requests) if request.get("tools")]

    def said(self) -> str:
        """Everything that the model was sent."""
        return json.dumps(list(self.requests), ensure_ascii=False)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
