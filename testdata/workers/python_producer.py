#!/usr/bin/env python3
"""A pdreplay worker for producers written in Python.

    cd PRODUCER && python3 .../python_producer.py MODULE[:FUNCTION]

imports MODULE once, from the current directory, and then calls FUNCTION
(default: main) for every run. The producer must be one that takes everything
from its environment and writes $AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json, as
`python3 -m MODULE` would (the producer's command line contract). Starting
Python and importing is most of such a process's time, so a worker answers many
more runs a second. Standard library only; Python 3.8 or later.

The protocol, which a worker in any language can speak. One JSON object a line,
UTF-8, on standard input:

    {"id": "7", "dir": "/tmp/.../result", "env": {"RESULT_DIR": "/tmp/.../result", ...}}

id   any string; the answer must carry it
dir  the run: dir/aiperf_artifacts/profile_export.jsonl and so on
env  what this run adds to the worker's own environment: the run's variables,
     RESULT_DIR (= dir), AGENTIC_OUTPUT_DIR (an empty directory),
     RESULT_FILENAME and HF_HUB_CACHE. Variables of the run before are gone.

and exactly one line for each on standard output, flushed, before the next
line is read:

    {"id": "7", "result": {the row}}     or     {"id": "7", "error": "why there is none"}

Nothing else may appear on standard output; standard error is free, its last
lines are shown with an error. When standard input ends, the worker ends.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import sys
import traceback
from pathlib import Path

ERROR_LINES = 12  # as many lines of a failed run's stderr as pdreplay shows


def private_stdout():
    """Return the real stdout, and send what anybody else prints to stderr.

    This is done to the file descriptor, so it also holds for what is written
    by C code and by child processes.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def load(spec):
    """Import MODULE[:FUNCTION] and return the function."""
    module, _, function = spec.partition(":")
    sys.path.insert(0, os.getcwd())  # as python3 -m does
    return getattr(importlib.import_module(module), function or "main")


def exit_status(exc):
    """Return the exit status of a SystemExit, printing its message as Python does."""
    if exc.code is None:
        return 0
    if isinstance(exc.code, int):
        return exc.code
    print(exc.code, file=sys.stderr)
    return 1


def call(main):
    """Run the producer and return (exit status, its stderr)."""
    stderr = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(stderr):
        try:
            status = main() or 0
        except SystemExit as exc:
            status = exit_status(exc)
        except Exception:  # the producer's failure, not the worker's
            traceback.print_exc()
            status = 1
    return status, stderr.getvalue()


def answer(main, request):
    """Return the text of the answer to one request."""
    name = json.dumps(request["id"])
    status, stderr = call(main)
    if status != 0:
        last = "\n".join(stderr.rstrip("\n").split("\n")[-ERROR_LINES:])
        return '{"id":%s,"error":%s}' % (name, json.dumps("exit status %s\n%s" % (status, last)))
    row = Path(os.environ["AGENTIC_OUTPUT_DIR"], os.environ["RESULT_FILENAME"] + ".json")
    if not row.is_file():
        return '{"id":%s,"error":"exit status 0, but no row was written"}' % name
    # The text goes out as it is, line breaks apart (JSON has none inside of
    # strings). Parsing it here would hide what is wrong with it: a bare NaN.
    text = row.read_text(encoding="utf-8").replace("\n", " ")
    return '{"id":%s,"result":%s}' % (name, text)


def serve(main, requests, answers):
    base = dict(os.environ)
    gc.freeze()  # what was imported stays: the collector need not look at it again
    for line in requests:
        request = json.loads(line)
        os.environ.clear()
        os.environ.update(base)
        os.environ.update(request["env"])
        print(answer(main, request), file=answers, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python_producer.py MODULE[:FUNCTION], in the producer's directory")
    answers_to = private_stdout()  # before the import: a module may print
    serve(load(sys.argv[1]), io.open(0, encoding="utf-8"), answers_to)
