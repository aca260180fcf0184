"""A program that tells what it was given, or takes its time."""

import json
import os
import sys
import time


def log(line):
    with open(os.environ["PROGRAM_LOG"], "a") as effects:
        effects.write(line + "\n")


raw = sys.stdin.read()
request = json.loads(raw)
method = request["method"]
if method == "observe":
    descriptors = [int(name) for name in os.listdir("/proc/self/fd")]
    output = {
        "arguments": sys.argv[1:],
        "call": len(request["call"]),
        "descriptors": sorted(fd for fd in descriptors if os.path.exists("/proc/self/fd/%d" % fd)),
        "folder": os.getcwd(),
        "keys": list(request),
        "leads": os.getpgid(0) == os.getpid() or os.getpgid(0) == os.getppid(),
        "opgate": request["opgate"],
        "plugin": request["plugin"],
        "raw_input": raw[raw.index('"input":') + 8:-1],
        "variables": sorted(os.environ),
    }
elif method == "work":
    log("begins")
    time.sleep(request["input"]["seconds"])
    log("commits")
    output = "worked"
try:
    print(json.dumps({"output": output}))
    sys.stdout.flush()
except BrokenPipeError:
    log("nobody reads")
    os._exit(0)
