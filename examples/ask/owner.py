#!/usr/bin/env -S python3 -I
"""Asks another user of this machine, who answers from a login of their own. The agent's user can neither see nor answer.

As `owner` (not the agent's user), somewhere that only root can write to, and once for the agent's user in sudoers:
    agent ALL=(owner) NOPASSWD: /usr/local/lib/opgate/owner.py /home/owner/.opgate ask
Launch file:
    [binding.approve]
    ask = "program"
    command = ["/usr/bin/sudo", "-n", "-u", "owner", "/usr/local/lib/opgate/owner.py", "/home/owner/.opgate", "ask"]
The owner, in their own terminal:
    owner.py ~/.opgate pending        shows what waits
    owner.py ~/.opgate yes ID         or no ID

Protects against the agent, its host and every program of the agent's user: what they lack is the owner's account.
"""

import json
import os
import pathlib
import secrets
import signal
import sys
import time


def private(path):
    """The folder, which must be the owner's alone."""
    path = pathlib.Path(path)
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077 or path.is_symlink():
        sys.exit(f"{path} is not private")
    return path


def ask(folder):
    prompt = json.load(sys.stdin)
    until = time.monotonic() + prompt["timeout_seconds"]
    name = secrets.token_hex(8)
    question, answer = folder / f"{name}.prompt", folder / f"{name}.answer"
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        question.write_text(prompt["text"])
        while time.monotonic() < until and os.getppid() == parent:
            if answer.exists():
                print("yes" if answer.read_text() == "yes" else "no", flush=True)
                return
            time.sleep(0.1)
        sys.exit("nobody answered in time")
    finally:
        question.unlink(missing_ok=True)
        answer.unlink(missing_ok=True)


def pending(folder):
    for question in sorted(folder.glob("*.prompt")):
        print(f"{question.stem}:\n{question.read_text()}")


def decide(folder, word, name):
    question = folder / f"{name}.prompt"
    if not name.isalnum() or not question.exists():
        sys.exit("no such prompt waits")
    # In one step, so that nobody reads half an answer.
    written = folder / f"{name}.{word}"
    written.write_text(word)
    written.rename(folder / f"{name}.answer")


match sys.argv[1:]:
    case [folder, "ask"]:
        ask(private(folder))
    case [folder, "pending"]:
        pending(private(folder))
    case [folder, ("yes" | "no") as word, name]:
        decide(private(folder), word, name)
    case _:
        sys.exit("usage: owner.py FOLDER ask | pending | yes ID | no ID")
