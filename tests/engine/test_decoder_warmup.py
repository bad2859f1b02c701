"""Structs are analysed before several threads decode them."""

from __future__ import annotations

from pathlib import Path

from tests.engine.conftest import python

ROOT = Path(__file__).resolve().parents[2]

# Structs like ours, first decoded by four threads at once that switch as often as possible.
READ_AT_ONCE = """
import sys, threading, types
import msgspec
from sidecar.engine.decoder_warmup import warm_up_decoders

sys.setswitchinterval(1e-6)
fields = "".join(f"    f{at}: int | str | None = None\\n" for at in range(30))
source = f"from __future__ import annotations\\nimport msgspec\\nclass A(msgspec.Struct):\\n{fields}"
source += "class B(msgspec.Struct):\\n    a: A\\n    x: list[A]\\n"
for number in range(200):
    module = types.ModuleType(f"made_{number}")
    sys.modules[module.__name__] = module
    exec(source, module.__dict__)
    assert warm_up_decoders() >= 2
    together = threading.Barrier(4)

    def read(kind, data):
        together.wait()
        msgspec.json.decode(data, type=kind)

    pairs = [(module.B, b'{"a":{"f1":3,"f20":"x"},"x":[{"f2":3}]}'), (module.A, b'{"f1":3,"f29":"x"}')] * 2
    threads = [threading.Thread(target=read, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_read_structs_at_once_do_not_crash() -> None:
    """Without `warm_up_decoders` this crashes with signal 11 in the first few rounds, with msgspec 0.22."""
    done = python(READ_AT_ONCE)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_server_has_all_of_the_contract_and_the_store_worked_out() -> None:
    code = (
        "from sidecar.engine.host import start_engine\n"
        "from types import SimpleNamespace\n"
        "from sidecar.engine import decoder_warmup\n"
        "from sidecar.settings import Settings\n"
        "done = []\n"
        "real = decoder_warmup.warm_up_decoders\n"
        "decoder_warmup.warm_up_decoders = lambda: done.append(real())\n"
        "start_engine(SimpleNamespace(settings=Settings(), problems=[]), keeps_journals=True).close()\n"
        "print(done[0] >= 200)\n"
    )
    told = python(code)
    assert (told.stdout, told.stderr) == ("True\n", "")


def test_arguments_of_tools_are_analysed_before_there_are_threads() -> None:
    """`convert` of a struct that is not analysed yet must not happen on two threads."""
    code = (
        "import msgspec\n"
        "worked_out = []\n"
        "real = msgspec.json.Decoder\n"
        "msgspec.json.Decoder = lambda kind, **more: worked_out.append(kind) or real(kind, **more)\n"
        "import sidecar.mcp.methods\n"
        "print(all(tool.arguments in worked_out for tool in sidecar.mcp.methods.TOOLS.values()))\n"
    )
    told = python(code)
    assert (told.stdout, told.stderr) == ("True\n", "")
