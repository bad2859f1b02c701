"""An agent with memory: `python agent.py "how do I run the tests?"`. The model is any OpenAI-compatible endpoint
(`MODEL_URL`, `MODEL_NAME`, `MODEL_KEY`); without one, it shows what the model would be asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
import uuid
from pathlib import Path

from protocol.client import Client
from protocol.events import ToolCallParams, ToolResultParams, UserMessageParams
from protocol.memories import InjectParams
from protocol.sessions import EndParams, StartParams


def ask_model(messages: list[dict[str, str]]) -> str:
    if "MODEL_URL" not in os.environ:
        return "\n\n".join(f"[{each['role']}]\n{each['content']}" for each in messages)
    body = json.dumps({"model": os.environ["MODEL_NAME"], "messages": messages}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('MODEL_KEY', '')}"}
    url = f"{os.environ['MODEL_URL']}/chat/completions"
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - the user names it
    with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310
        return str(json.load(answer)["choices"][0]["message"]["content"])


def run_command(client: Client, session: str, command: str) -> str:
    """Run a shell command and tell the sidecar of it: it learns from what fails and then passes."""
    call = uuid.uuid4().hex
    arguments = {"command": command}
    client.event_tool_call(ToolCallParams(session_id=session, tool="bash", input=arguments, call_id=call))
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    told = ToolResultParams(session_id=session, tool="bash", output=output, exit_code=done.returncode, call_id=call)
    client.event_tool_result(told)
    return output


def main(prompt: str) -> None:
    session = uuid.uuid4().hex
    with Client(os.environ.get("MEMORY_SIDECAR", "memory-sidecar serve").split()) as client:
        client.initialize([Path.cwd()], name="example-agent")
        client.session_start(StartParams(session_id=session, agent="example-agent", working_on=prompt[:100]))
        block = client.memory_inject(InjectParams(prompt=prompt, session_id=session, budget_tokens=1000))
        client.event_user_message(UserMessageParams(session_id=session, text=prompt))
        system = f"You are a coding agent. Answer with one shell command behind `RUN:`, or in words.\n{block.text}"
        answer = ask_model([{"role": "system", "content": system}, {"role": "user", "content": prompt}])
        print(answer)
        if answer.startswith("RUN:"):
            print(run_command(client, session, answer.removeprefix("RUN:").strip()))
        client.session_end(EndParams(session_id=session, summary=f"Asked: {prompt[:200]}"))


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "What do you know about this project?")
