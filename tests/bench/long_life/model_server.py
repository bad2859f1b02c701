"""A chat model's HTTP endpoint that is slow, and fails at times, in each of the ways that such endpoints fail."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SlowModel:
    """Serves on a port of this machine until `close`."""

    def __init__(self, seed: int = 1) -> None:
        chance = random.Random(seed)
        counts = self.answered = Counter[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                time.sleep(chance.choice((0.05, 0.3, 1.0, 3.0)))
                kind = chance.choices(("good", "busy", "broken", "cut", "nonsense"), (75, 8, 7, 5, 5))[0]
                counts[kind] += 1
                if kind == "cut":
                    self.close_connection = True
                    return
                if kind in ("busy", "broken"):
                    self.send_response(429 if kind == "busy" else 500)
                    self.send_header("Content-Length", "0")
                    if kind == "busy":
                        self.send_header("Retry-After", "1")
                    self.end_headers()
                    return
                said = "Defines what this module does, and is used by its neighbours in the project."
                message = {"role": "assistant", "content": said}
                whole = {
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320},
                }
                body = json.dumps(whole).encode() if kind == "good" else b"{not json"
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: stdout is the table's."""

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                counts["client went"] += 1

        self._server = Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Its base address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()
