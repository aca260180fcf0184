"""Makes functions of this file's neighbours operations of opgate. Copy it, and change it as you like; Python 3.9.

    @operation(effect="read", input=Find)      # a pydantic model, a JSON Schema, or nothing
    def find(input): ...                       # and a second parameter for the context, with context=True
    run()                                      # answers one call, or a line a call if started with "worker"

mode = "worker" goes with command = [.., "orders.py", "worker"], and describe = [.., "orders.py", "describe"] replaces [[operations]].
"""

import json
import os
import signal
import sys

OPERATIONS = {}


class Problem(Exception):
    """For the caller: a code of a-z, 0-9 and -, a sentence that quotes no input, and False if nothing was changed."""


def operation(input=None, **declared):
    def declare(function):
        OPERATIONS[function.__name__] = (function, input, declared)
        return function

    return declare


def describe():
    for method, (function, model, declared) in OPERATIONS.items():
        schema = model.model_json_schema() if hasattr(model, "model_json_schema") else model or {"type": "object"}
        yield {"method": method, "description": function.__doc__ or "", "input": schema, **declared}


def answer(request):
    function, model, _ = OPERATIONS[request["method"]]
    value = request["input"]
    try:
        value = model.model_validate(value) if hasattr(model, "model_validate") else value
    except ValueError:  # its text quotes the input
        return {"error": {"code": "not-accepted", "message": "The input does not fit the operation's model."}}
    try:
        output = function(value, *([request["context"]] if "context" in request else []))
    except Problem as problem:
        return {"error": dict(zip(("code", "message", "changed"), problem.args))}
    return {"output": output.model_dump(mode="json") if hasattr(output, "model_dump") else output}


def run():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # work is finished although nobody reads its answer any more
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anybody prints goes to standard error
    if sys.argv[1:] == ["describe"]:
        return print(json.dumps({"operations": list(describe())}), file=out, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        said = answer(request)  # has committed what it did: printing may fail
        repeated = {"call": request["call"]} if "worker" in sys.argv else {}
        print(json.dumps({**repeated, **said}, allow_nan=False), file=out, flush=True)
