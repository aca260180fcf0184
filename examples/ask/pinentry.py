#!/usr/bin/env python3
"""Asks with a pinentry program (of GnuPG), which takes the keyboard for itself while it asks.

Launch file:
    [binding.confirm]
    ask = "program"
    command = ["/absolute/path/to/pinentry.py", "/usr/bin/pinentry-gnome3"]
    env = ["DISPLAY", { name = "XAUTHORITY", optional = true }]

A prompt that is longer than one line of pinentry's protocol, about 980 bytes, is not asked, which means no.

Protects against a host that answers by itself, and better than a plain dialog against other windows. It does not
protect against a program of the same user.
"""

import json
import subprocess
import sys


def escaped(text):
    """As the Assuan protocol has it: one line, percent-encoded."""
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" else c for c in text)


prompt = json.load(sys.stdin)
description = "SETDESC " + escaped(prompt["text"])
if len(description.encode()) > 990:
    sys.exit("the prompt is too long for pinentry")
pinentry = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


# Cancelled, and not confirmed: a person said no. Other errors are a time-out, a missing display and the like.
DENIED = (99, 114)
denied = False


def said():
    """One answer: OK, or ERR and a number."""
    global denied
    while line := pinentry.stdout.readline():
        if line.startswith("ERR "):
            denied = int(line.split()[1]) & 0xFFFF in DENIED
        if line.startswith(("OK", "ERR")):
            return line.startswith("OK")
    return False


def command(line):
    pinentry.stdin.write(line + "\n")
    return said()


yes = said() and all(
    command(line)
    for line in (
        "SETTIMEOUT %d" % prompt["timeout_seconds"],
        "SETTITLE opgate: may this call run?",
        "SETOK Allow",
        "SETCANCEL Deny",
        description,
        "CONFIRM",
    )
)
pinentry.stdin.close()
if pinentry.wait() == 0 and (yes or denied):
    print("yes" if yes else "no")
else:
    sys.exit("pinentry could not ask")
