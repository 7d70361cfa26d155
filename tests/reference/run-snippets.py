"""Runs the Python code that comes as lines of JSON on standard input, each as a program of its own, and answers a line each.

One process for all: starting Python takes longer than the programs do.
"""

import contextlib
import io
import json
import os
import sys
import traceback

for line in sys.stdin:
    asked = json.loads(line)
    os.environ.clear()
    os.environ.update(asked["env"])
    output = io.StringIO()
    error = None
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(asked["code"], "snippet.py", "exec"), {"__name__": "__main__", **asked["values"]})
    except BaseException:
        error = traceback.format_exc()
    print(json.dumps({"output": output.getvalue(), "error": error}), flush=True)
