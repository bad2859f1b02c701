"""Kinds of garbage on the wire: frames that are none, and bodies that are no requests."""

from __future__ import annotations

import random

BODY = b'{"jsonrpc":"2.0","id":"lost","method":"memory/candidates","params":{"limit":3}}'
NOISE = random.Random(7)


def framed(header: bytes, body: bytes = BODY) -> bytes:
    """A body below a header in which `<n>` stands for its length."""
    return header.replace(b"<n>", b"%d" % len(body)) + b"\r\n\r\n" + body


FRAMES: dict[str, bytes] = {
    "no length": framed(b"Content-Type: application/json"),
    "negative length": framed(b"Content-Length: -5"),
    "negative real length": framed(b"Content-Length: -<n>"),
    "zero length": framed(b"Content-Length: 0"),
    "huge length": framed(b"Content-Length: 99999999999999"),
    "length beyond any integer": framed(b"Content-Length: " + b"9" * 5000),
    "length just above the limit": framed(b"Content-Length: 67108865"),
    "length just below the limit": framed(b"Content-Length: 67108864"),
    "word as length": framed(b"Content-Length: many"),
    "hexadecimal length": framed(b"Content-Length: 0x4B"),
    "float length": framed(b"Content-Length: 75.0"),
    "length with sign": framed(b"Content-Length: +<n>"),
    "length with underscore": framed(b"Content-Length: 7_5"),
    "empty length": framed(b"Content-Length: "),
    "length with unit": framed(b"Content-Length: <n> bytes"),
    "two lengths in one": framed(b"Content-Length: <n>, <n>"),
    "no colon": framed(b"Content-Length <n>"),
    "equals sign": framed(b"Content-Length=<n>"),
    "misspelt name": framed(b"Content-Lenght: <n>"),
    "name with space": framed(b"Content Length: <n>"),
    "leading space": framed(b" Content-Type: x\r\n Content-Length: -1"),
    "conflicting lengths": framed(b"Content-Length: <n>\r\nContent-Length: 3"),
    "length one too short": framed(b"Content-Length: %d" % (len(BODY) - 1)),
    "length much too short": framed(b"Content-Length: 5"),
    "length one too long": framed(b"Content-Length: %d" % (len(BODY) + 1)),
    "length into the next header": framed(b"Content-Length: %d" % (len(BODY) + 18)),
    "length into the next body": framed(b"Content-Length: %d" % (len(BODY) + 40)),
    "length over many frames": framed(b"Content-Length: %d" % (len(BODY) + 700)),
    "length for ever": framed(b"Content-Length: 60000000"),
    "truncated body": framed(b"Content-Length: <n>")[:-20],
    "truncated body, long length": b"Content-Length: 5000000\r\n\r\n" + BODY[:30],
    "header alone": b"Content-Length: 75\r\n\r\n",
    "header without blank line": b"Content-Length: 75\r\n",
    "header without line end": b"Content-Length: 75",
    "half a header": b"Content-Len",
    "half a name and line end": b"Content-\r\n",
    "blank lines": b"\r\n" * 50,
    "bare line feeds": b"\n" * 50,
    "bare carriage returns": b"\r" * 50,
    "carriage returns as line ends": b"Content-Length: 75\r\r" + BODY,
    "JSON without header": BODY,
    "JSON lines": BODY + b"\n" + BODY + b"\n",
    "pretty JSON without header": b'{\r\n  "jsonrpc": "2.0",\r\n  "id": "lost"\r\n}\r\n',
    "HTTP request": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{]",
    "log lines": b"INFO starting\nWARNING: deprecated\nTraceback (most recent call last):\n",
    "escape codes": b"\x1b[31mred\x1b[0m\r\n",
    "null bytes": b"\0" * 1000,
    "binary noise": NOISE.randbytes(5000),
    "binary noise with line ends": b"\r\n\r\n".join(NOISE.randbytes(50) for _ in range(50)),
    "binary body": framed(b"Content-Length: <n>", NOISE.randbytes(300)),
    "UTF-16 body": framed(
        b"Content-Type: application/vscode-jsonrpc; charset=utf-16\r\nContent-Length: <n>",
        BODY.decode().encode("utf-16"),
    ),
    "header longer than a line": framed(b"X-Long: " + b"a" * 20_000 + b"\r\nContent-Length: <n>"),
    "too many headers": framed(b"X-A: b\r\n" * 10_000 + b"Content-Length: <n>"),
    "long noise without line end": b"z" * 300_000,
    "text that quotes a header": framed(b"Content-Length: <n>", b"{ \"a\": 'Content-Length: 50\\r\\n\\r\\n' }"),
    "header within a broken body": framed(b"Content-Length: <n>", b"{'Content-Length: 9\r\n\r\n{\"a\": 1}'}"),
    "byte order mark": framed(b"Content-Length: <n>", b"\xef\xbb\xbf{") + b"\xef\xbb\xbf",
}


def request(text: str) -> bytes:
    """A request whose body says this after its version."""
    return b'{"jsonrpc":"2.0",' + text.encode("utf-8", "surrogatepass") + b"}"


METHOD = '"method":"memory/candidates"'
DEEP = 200_000
BODIES: dict[str, bytes] = {
    "nothing": b"",
    "white space": b" \t\r\n " * 100,
    "half a body": BODY[:40],
    "two bodies in one": BODY + BODY,
    "something after the body": BODY + b" x",
    "a comment": b"/* hi */" + BODY,
    "a comma too many": BODY[:-1] + b",}",
    "single quotes": BODY.replace(b'"', b"'"),
    "no quotes": b"{jsonrpc: 2.0, id: 1}",
    "not a number": request(f'"id":"lost",{METHOD},"params":{{"limit":NaN}}'),
    "infinity": request(f'"id":"lost",{METHOD},"params":{{"limit":-Infinity}}'),
    "a number beyond all": request(f'"id":"lost",{METHOD},"params":{{"limit":1e999999}}'),
    "a number of 400 digits": request(f'"id":"lost",{METHOD},"params":{{"limit":{"9" * 400}}}'),
    "a leading zero": request(f'"id":"lost",{METHOD},"params":{{"limit":007}}'),
    "a lone surrogate": request(f'"id":"lost",{METHOD},"params":{{"sessionId":"\\ud800"}}'),
    "a lone surrogate in bytes": request(f'"id":"lost",{METHOD},"params":{{"sessionId":"\ud800"}}'),
    "a null character": request(f'"id":"lost",{METHOD},"params":{{"sessionId":"\\u0000"}}'),
    "a raw line break": request(f'"id":"lost",{METHOD},"params":{{"sessionId":"a\nb"}}'),
    "a byte that is no UTF-8": BODY.replace(b"lost", b"lo\xffst"),
    "an overlong slash": BODY.replace(b"memory/", b"memory\xc0\xaf"),
    "UTF-8 with a mark": b"\xef\xbb\xbf" + BODY,
    "UTF-32": BODY.decode().encode("utf-32"),
    "deep lists": request(f'"id":"lost",{METHOD},"params":{"[" * DEEP}{"]" * DEEP}'),
    "deep objects": request(f'"id":"lost",{METHOD},"params":' + '{"a":' * DEEP + "1" + "}" * DEEP),
    "deep and never closed": b"[" * DEEP,
    "a key twice": request(f'"id":"lost","id":"lost",{METHOD},{METHOD}'),
    "params twice": request(f'"id":"lost",{METHOD},"params":{{"limit":1}},"params":{{"limit":"x"}}'),
    "an empty batch": b"[]",
    "a batch": b"[" + BODY + b"," + BODY + b"]",
    "a batch of numbers": b"[1,2,3]",
    "a text": b'"hello"',
    "null": b"null",
    "an empty object": b"{}",
    "no version": b'{"id":"lost","method":"memory/candidates"}',
    "another version": BODY.replace(b"2.0", b"1.0"),
    "the version as a number": BODY.replace(b'"2.0"', b"2.0"),
    "no method": request('"id":"lost"'),
    "a method that is null": request('"id":"lost","method":null'),
    "a method that is a list": request('"id":"lost","method":["memory/get"]'),
    "a method of a megabyte": request(f'"id":"lost","method":"{"m" * 1_000_000}"'),
    "a method with a line break": request('"id":"lost","method":"memory/\\nget"'),
    "the name of something of ours": request('"id":"lost","method":"__class__/__init__"'),
    "an id that is null": request(f'"id":null,{METHOD}'),
    "an id that is true": request(f'"id":true,{METHOD}'),
    "an id that is a fraction": request(f'"id":1.5,{METHOD}'),
    "an id that is an object": request(f'"id":{{"a":1}},{METHOD}'),
    "an id of 400 digits": request(f'"id":{"8" * 400},{METHOD}'),
    "an id of a megabyte": request(f'"id":"{"i" * 1_000_000}",{METHOD}'),
    "params that are text": request(f'"id":"lost",{METHOD},"params":"limit"'),
    "params that are a list": request(f'"id":"lost",{METHOD},"params":[3]'),
    "params of other types": request(f'"id":"lost",{METHOD},"params":{{"limit":"3","status":{{}}}}'),
    "params with a name of ours": request(f'"id":"lost",{METHOD},"params":{{"__class__":1,"__proto__":{{}}}}'),
    "a megabyte of keys": request(
        f'"id":"lost",{METHOD},"params":{{{",".join(f"{chr(34)}k{n}{chr(34)}:{n}" for n in range(80_000))}}}'
    ),
    "a result to nothing": request('"id":77,"result":1'),
    "a result and a method": request(f'"id":"lost",{METHOD},"result":1'),
    "an error to nothing": request('"id":77,"error":{"code":1,"message":"x"}'),
    "an error of another shape": request('"id":77,"error":"bad"'),
    "cancelling nothing": request('"method":"$/cancelRequest","params":{"id":[]}'),
    "a notification of ours": request('"method":"memory/didChange","params":{}'),
}
GARBAGE = FRAMES | {f"body: {name}": framed(b"Content-Length: <n>", body) for name, body in BODIES.items()}
