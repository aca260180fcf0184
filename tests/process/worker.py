"""A worker: a line a call, and misbehaviour as the method says."""

import json
import os
import signal
import sys
import threading
import time


def log(line):
    with open(os.environ["PROGRAM_LOG"], "a") as effects:
        effects.write(line + "\n")


def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def answer(call, output):
    write(json.dumps({"output": output, "call": call}) + "\n")


def later(seconds, work):
    def run():
        time.sleep(seconds)
        try:
            work()
        except OSError:
            pass

    threading.Thread(target=run, daemon=True).start()


log("worker %d" % os.getpid())
if os.environ.get("UNREAD"):
    time.sleep(60)
for line in sys.stdin:
    request = json.loads(line)
    call, method = request["call"], request["method"]
    log(method)
    if method == "echo":
        answer(call, request["input"])
    elif method == "who":
        answer(call, os.getpid())
    elif method == "garbage":
        write("hello, I am not JSON\n")
    elif method == "twice":
        write((json.dumps({"call": call, "output": 1}) + "\n") * 2)
    elif method == "twice_later":
        answer(call, 1)
        later(0.3, lambda: answer(call, 2))
    elif method == "late":
        # The next call gets the answer of this one.
        write(json.dumps({"call": "f" * 32, "output": "another's"}) + "\n")
    elif method == "byte":
        answer(call, 1)
        later(0.2, lambda: write("x"))
    elif method == "no_call":
        write(json.dumps({"output": 1}) + "\n")
    elif method == "no_line":
        write(json.dumps({"call": call, "output": 1}))
        os._exit(0)
    elif method == "much":
        write('{"call":"%s","output":"' % call)
        for _ in range(100):
            write("x" * (1 << 20))
        write('"}\n')
    elif method == "exits":
        sys.stderr.write("why it ended\n")
        os._exit(3)
    elif method == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif method == "closes":
        os.close(1)
        time.sleep(0.3)
        log("lived on")
        os._exit(0)
    elif method == "not_utf8":
        os.write(1, b'{"call":"%s","output":"\xff"}\n' % call.encode())
    elif method == "daemon":
        if os.fork() == 0:
            os.setsid()
            time.sleep(3.5)
            os._exit(0)
        answer(call, "daemon")
        os._exit(0)
    elif method == "slow":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(request["input"]["seconds"])
        answer(call, "slow")
    elif method == "fails":
        write(json.dumps({"call": call, "error": {"code": "not-found", "message": "No such order."}}) + "\n")
    elif method == "secrets":
        for piece in ("the session is corr", "ect-horse", "-battery", "-staple, keep it\n"):
            os.write(2, piece.encode())
            time.sleep(0.02)
        answer(call, os.environ["APP_TOKEN"])
    elif method == "stubborn":
        answer(call, "stubborn")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
log("end of input")
