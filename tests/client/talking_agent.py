"""An agent that starts a server as its child and talks to it: the process behind a session of the LSP or MCP front.

Takes `serve` or `mcp` as argument, then messages as lines of JSON; of each with an id it prints the answer.
"""

from __future__ import annotations

import json
import subprocess
import sys

from tests.client.json_value import Json, document

front = sys.argv[1]
server = subprocess.Popen([sys.executable, "-P", "-m", "sidecar", front], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert server.stdin is not None
assert server.stdout is not None


def read() -> Json:
    assert server.stdout is not None
    if front == "mcp":
        return document(server.stdout.readline())
    length = 0
    while (header := server.stdout.readline()) != b"\r\n":
        name, _, value = header.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return document(server.stdout.read(length))


for line in sys.stdin:
    body = line.strip().encode()
    framed = body + b"\n" if front == "mcp" else b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    server.stdin.write(framed)
    server.stdin.flush()
    sent = json.loads(line)
    while "id" in sent:
        message = read()
        if message.get("id") == sent["id"] and "method" not in message:
            print(json.dumps(message), flush=True)
            break
server.stdin.close()
server.wait()
