"""What every client does, read from exchange.json, and the settings that the runner passes on."""

import json
import os
import pathlib
import sys

EXCHANGE = json.loads(pathlib.Path(__file__).with_name("exchange.json").read_text())
CALLS = EXCHANGE["calls"]

MCP = os.environ["INTEROP_MCP"]
URL = os.environ["INTEROP_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['INTEROP_KEY']}"}
# Clients hand only this to the server that they start.
ENVIRONMENT = {"SVC_DB": os.environ["INTEROP_DB"]}


def fail(what):
    print(f"mismatch: {what}", file=sys.stderr, flush=True)
    # At once: on their way out the clients' task groups would bury the line under tracebacks.
    os._exit(1)


def check_tools(names):
    if len(names) != EXCHANGE["tools"] or "remember" not in names:
        fail(f"{len(names)} tools are listed, not {EXCHANGE['tools']} with remember among them")


def check_call(call, text, error):
    name = call["tool"]
    if bool(error) != call["error"]:
        fail(f"{name}: error is {error}, not {call['error']}: {text}")
    if not text.startswith(call.get("begins", "")):
        fail(f"{name}: the reply does not begin with {call['begins']!r}: {text!r}")
    if call.get("holds", "") not in text:
        fail(f"{name}: the reply does not hold {call['holds']!r}: {text!r}")
