"""An agent that runs hooks as agents do: from a process that lives as long as its session, each in a shell of its own.

Takes one event as a line of JSON on stdin, answers a line with what the hook printed and how long it took.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

for line in sys.stdin:
    began = time.monotonic()
    done = subprocess.run(
        ["/bin/sh", "-c", f"'{sys.executable}' -P -m sidecar hook; true"],
        input=line.encode(),
        capture_output=True,
        check=True,
    )
    print(json.dumps({"out": done.stdout.decode(), "seconds": time.monotonic() - began}), flush=True)
