"""The floor of the benchmarks: the least that any asyncio server over stdio does for a request.

Reads LSP frames, decodes the envelope with msgspec, answers with the params, flushes. No checks, no threads.
"""

from __future__ import annotations

import asyncio
import sys

import msgspec


class Request(msgspec.Struct):
    id: int
    method: str
    params: msgspec.Raw = msgspec.Raw(b"null")


class Response(msgspec.Struct):
    id: int
    result: msgspec.Raw
    jsonrpc: str = "2.0"


async def main() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    decoder = msgspec.json.Decoder(Request)
    while True:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return
        request = decoder.decode(await reader.readexactly(int(head.split(b":")[1])))
        body = msgspec.json.encode(Response(request.id, request.params))
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    asyncio.run(main())
