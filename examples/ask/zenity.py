#!/usr/bin/env python3
"""Asks in a desktop dialog (zenity): the whole prompt in a scrolled text, and "Allow" only after a tick.

Launch file:
    [binding.confirm]
    ask = "program"
    command = ["/absolute/path/to/zenity.py"]
    env = ["DISPLAY", { name = "XAUTHORITY", optional = true }]      # Wayland: WAYLAND_DISPLAY and XDG_RUNTIME_DIR

Protects against a host that answers by itself. It does not protect against a program of the same user, which can click.
"""

import json
import subprocess
import sys

prompt = json.load(sys.stdin)
dialog = subprocess.run(
    [
        "zenity", "--text-info", "--title", "opgate: may this call run?", "--width", "760", "--height", "560",
        "--font", "monospace", "--checkbox", "I have read it all", "--ok-label", "Allow", "--cancel-label", "Deny",
    ],
    input=prompt["text"],
    stdout=subprocess.DEVNULL,
    text=True,
    check=False,
)
# 1 is Deny or a closed window; anything else is no person's answer.
if dialog.returncode in (0, 1):
    print("no" if dialog.returncode else "yes")
else:
    sys.exit(dialog.returncode)
