"""What agents and their models say to each other: four wire formats, read and written for `scripted_model`.

OpenAI chat completions and responses (with Codex's namespaces and freeform tools), Anthropic messages, Gemini's
generateContent. Each is a function from a request and a choice to the events of the answer; the first one is the
whole answer, for agents that do not stream.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from tests.client.json_value import Json

Step = Mapping[str, object]
Event = dict[str, object]
Body = Json

_numbers = count(1)


class Offered(NamedTuple):
    """A tool that the agent offers: the name that scripts match, and how a call of it is written."""

    name: str
    own: str
    namespace: str | None = None
    form: str = "function"  # or "custom" (free text) or "tool_search", as OpenAI's responses call them


class Turn(NamedTuple):
    """What is to be said: a call of a tool, or text."""

    tool: Offered | None
    step: Step
    text: str = ""


class Heard(NamedTuple):
    """A request, taken apart. `said` are the user's texts and the results of tools, in their order."""

    tools: list[Offered]
    said: list[tuple[str, str]]  # ("user" | "result", text)


def choose(heard: Heard, script: Sequence[Step], others: Mapping[str, Sequence[Step]], plain: str) -> Turn:
    """The next step: as many as there are results since the prompt that the script is for."""
    if not heard.tools:
        return Turn(None, {}, plain)
    results = 0
    for kind, text in heard.said:
        found = next((marker for marker in others if kind == "user" and marker in text), None)
        if found is not None:
            script, results = others[found], 0
        results += kind == "result"
    if results >= len(script):
        return Turn(None, {}, "All done.")
    step = script[results]
    if "text" in step:
        return Turn(None, step, str(step["text"]))
    tool = next((tool for tool in heard.tools if re.search(str(step["tool"]), tool.name)), None)
    if tool is None:
        names = ", ".join(tool.name for tool in heard.tools)
        return Turn(None, step, f"There is no tool like {step['tool']} among {names}.")
    return Turn(tool, step)


def flat(value: object) -> str:
    """All text inside of a content."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(flat(each) for each in value)
    if isinstance(value, dict):
        keys = ("text", "content", "output", "response", "result")
        return " ".join(flat(each) for key, each in value.items() if key in keys)
    return ""


# -- OpenAI chat completions ---------------------------------------------------------------------------------


def hear_chat(body: Body) -> Heard:
    names = [str(tool["function"]["name"]) for tool in body.get("tools", []) or () if tool.get("type") == "function"]
    kinds = {"user": "user", "tool": "result"}
    said = [
        (kinds[str(message["role"])], flat(message.get("content")))
        for message in body["messages"]
        if message.get("role") in kinds
    ]
    return Heard([Offered(name, name) for name in names], said)


def say_chat(turn: Turn) -> list[Event]:
    base: Event = {"id": f"chatcmpl-{next(_numbers)}", "created": 1, "model": "fake"}
    message: Event = {"role": "assistant", "content": turn.text}
    reason = "stop"
    if turn.tool is not None:
        called = {"name": turn.tool.own, "arguments": json.dumps(turn.step.get("args", {}))}
        call = {"index": 0, "id": f"call_{next(_numbers)}", "type": "function", "function": called}
        message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    given = int(str(turn.step.get("tokens", 10)))  # a script may say that the context is full
    usage = {"prompt_tokens": given, "completion_tokens": 5, "total_tokens": given + 5}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    chunk: Event = {**base, "object": "chat.completion.chunk"}
    return [
        {**base, "object": "chat.completion", "choices": [choice], "usage": usage},
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**chunk, "choices": [], "usage": usage},
    ]


# -- OpenAI responses ----------------------------------------------------------------------------------------


def hear_responses(body: Body) -> Heard:
    given: object = body.get("input")
    items: list[Json] = list(given) if isinstance(given, list) else []
    found = [each for item in items if item.get("type") == "tool_search_output" for each in item["tools"]]
    tools: list[Offered] = []
    for tool in [*(body.get("tools") or []), *found]:
        form = str(tool["type"])
        name = str(tool.get("name", form))
        if form == "namespace":
            tools += [Offered(f"{name}__{each['name']}", str(each["name"]), name) for each in tool.get("tools", [])]
        else:
            tools.append(Offered(name, name, form=form))
    said: list[tuple[str, str]] = []
    for each in items:
        if str(each.get("type")).endswith("_output"):
            said.append(("result", flat(each.get("output"))))
        elif each.get("role") == "user":
            said.append(("user", flat(each.get("content"))))
    return Heard(tools, said)


def say_responses(turn: Turn) -> list[Event]:
    item: Event
    if turn.tool is None:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        item = {"type": "message", "id": f"msg_{next(_numbers)}", "role": "assistant", "content": content}
    elif turn.tool.form == "tool_search":
        item = {"type": "tool_search_call", "id": f"tsc_{next(_numbers)}", "execution": "client"}
        item |= {"call_id": f"call_{next(_numbers)}", "arguments": turn.step["args"]}
    elif turn.tool.form == "custom":
        item = {"type": "custom_tool_call", "id": f"ctc_{next(_numbers)}", "name": turn.tool.own}
        item |= {"call_id": f"call_{next(_numbers)}", "input": turn.step["input"]}
    else:
        item = {"type": "function_call", "id": f"fc_{next(_numbers)}", "name": turn.tool.own}
        item |= {"call_id": f"call_{next(_numbers)}", "arguments": json.dumps(turn.step.get("args", {}))}
        if turn.tool.namespace is not None:
            item["namespace"] = turn.tool.namespace
    item["status"] = "completed"
    usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5}
    usage |= {"output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
    whole: Event = {"id": f"resp_{next(_numbers)}", "object": "response", "model": "fake"}
    whole |= {"status": "completed", "output": [item], "usage": usage}
    started = {**whole, "status": "in_progress", "output": []}
    events: list[Event] = [
        {"type": "response.created", "response": started},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
    ]
    if turn.tool is None:
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        events.append({"type": "response.output_text.delta", **place, "delta": turn.text})
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    return [whole, *events, {"type": "response.completed", "response": whole}]


# -- Anthropic messages --------------------------------------------------------------------------------------


def hear_anthropic(body: Body) -> Heard:
    tools = [Offered(str(tool["name"]), str(tool["name"])) for tool in body.get("tools", []) or () if tool.get("name")]
    said: list[tuple[str, str]] = []
    for message in body["messages"]:
        if message.get("role") != "user":
            continue
        content: object = message.get("content")
        if not isinstance(content, list):
            said.append(("user", flat(content)))
            continue
        for part in content:
            kind = "result" if part.get("type") == "tool_result" else "user"
            said.append((kind, flat(part.get("content") if kind == "result" else part)))
    return Heard(tools, said)


def say_anthropic(turn: Turn) -> list[Event]:
    usage = {"input_tokens": 10, "output_tokens": 5}
    message: Event = {"type": "message", "id": f"msg_{next(_numbers)}", "role": "assistant"}
    message |= {"model": "fake", "stop_sequence": None, "usage": usage}
    block: Event
    first: Event
    if turn.tool is None:
        block, first = {"type": "text", "text": turn.text}, {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": turn.text}
        reason = "end_turn"
    else:
        args = turn.step.get("args", {})
        use = {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": turn.tool.own}
        block, first = {**use, "input": args}, {**use, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(args)}
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


# -- Gemini --------------------------------------------------------------------------------------------------


def hear_gemini(body: Body) -> Heard:
    declared = [each for tool in body.get("tools") or [] for each in tool.get("functionDeclarations", [])]
    said: list[tuple[str, str]] = []
    for content in body.get("contents", []):
        for part in content.get("parts", []):
            if "functionResponse" in part:
                said.append(("result", json.dumps(part["functionResponse"].get("response"))))
            elif content.get("role") == "user":
                said.append(("user", flat(part)))
    return Heard([Offered(str(each["name"]), str(each["name"])) for each in declared], said)


def say_gemini(turn: Turn) -> list[Event]:
    part: Event = {"text": turn.text}
    if turn.tool is not None:
        part = {"functionCall": {"name": turn.tool.own, "args": turn.step.get("args", {})}}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    whole: Event = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}
    return [whole, whole]


class Dialect(NamedTuple):
    """How one wire format is read and written."""

    hear: Callable[[Body], Heard]
    say: Callable[[Turn], list[Event]]
    names_events: bool = False
    ends_with_done: bool = False


_DIALECTS = (
    (re.compile(r"/responses$"), Dialect(hear_responses, say_responses, names_events=True)),
    (re.compile(r"/messages$"), Dialect(hear_anthropic, say_anthropic, names_events=True)),
    (re.compile(r"[gG]enerateContent$"), Dialect(hear_gemini, say_gemini)),
    (re.compile(r"/chat/completions$"), Dialect(hear_chat, say_chat, ends_with_done=True)),
)


def dialect_of(path: str) -> Dialect | None:
    """The format that is spoken at a path, None where no model is."""
    return next((dialect for pattern, dialect in _DIALECTS if pattern.search(path)), None)
