"""A program that misbehaves as its method says. Run once a call."""

import json
import os
import signal
import sys
import time


def log(line):
    with open(os.environ["PROGRAM_LOG"], "a") as effects:
        effects.write(line + "\n")


def answer(output):
    sys.stdout.write(json.dumps({"output": output}))
    sys.stdout.flush()


def fork(work):
    """A daemon: not in our group, and holding our pipes."""
    if os.fork() == 0:
        os.setsid()
        work()
        os._exit(0)


method = os.environ.get("METHOD")
if method != "unread":
    request = json.load(sys.stdin)
    method = request["method"]
log(method)

if method == "echo":
    answer(request["input"])
elif method == "garbage":
    print("hello, I am not JSON")
elif method == "two":
    answer(1)
    answer(2)
elif method == "much":
    sys.stdout.write('{"output":"')
    for _ in range(100):
        sys.stdout.write("x" * (1 << 20))
    sys.stdout.write('"}')
    sys.stdout.flush()
    log("much is written")
elif method == "much_and_fails":
    answer("x" * (2 << 20))
    sys.exit(1)
elif method == "much_garbage":
    for _ in range(100):
        sys.stdout.write("x" * (1 << 20))
    log("much is written")
elif method == "exits":
    answer("not looked at")
    sys.stderr.write("why it failed\n")
    sys.exit(3)
elif method == "killed":
    sys.stdout.write('{"output":')
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
elif method == "daemon":
    fork(lambda: time.sleep(2.5))
    answer("daemon")
elif method == "chatty_daemon":
    def chat():
        until = time.time() + 2.5
        try:
            while time.time() < until:
                os.write(1, b" " * 4096)
        except OSError:
            pass
        time.sleep(max(0, until - time.time()))
    fork(chat)
    answer("daemon")
elif method == "closes":
    answer("closed")
    os.close(1)
    time.sleep(0.7)
    log("lived on")
elif method == "closes_at_once":
    os.close(1)
    time.sleep(0.3)
    log("lived on")
elif method == "not_utf8":
    os.write(1, b'{"output":"\xff\xfe"}')
elif method == "not_a_number":
    print('{"output": NaN}')
elif method == "twice_the_key":
    print('{"output": {"a": 1, "a": 2}}')
elif method == "deep":
    print('{"output": ' + "[" * 200 + "]" * 200 + "}")
elif method == "nothing":
    pass
elif method == "secrets":
    answer({"session": os.environ["APP_TOKEN"], "inside": "x " + os.environ["APP_TOKEN"] + " y"})
    for piece in ("the session is corr", "ect-horse", "-battery", "-staple, keep it\n"):
        os.write(2, piece.encode())
        time.sleep(0.02)
elif method == "blocks":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    if os.fork() == 0:
        time.sleep(60)
    time.sleep(60)
elif method == "leaves":
    try:
        os.setpgid(0, os.getpgid(os.getppid()))
        log("left")
    except PermissionError:
        log("stays")
    time.sleep(20)
elif method == "terminal":
    try:
        with open("/dev/tty") as terminal:
            answer(terminal.read(1))
    except OSError:
        answer("no terminal")
elif method == "slow":
    time.sleep(request["input"]["seconds"])
    log("slow is done")
    answer("slow")
elif method == "fails":
    print(json.dumps({"error": {"code": "not-found", "message": "No such order."}}))
elif method == "fails_oddly":
    print(json.dumps({"error": {"code": "Not Found!", "message": "No such order."}}))
elif method == "unread":
    time.sleep(0.2)
    answer("unread")
