"""The peers' side of the protocol of docs/bench.md, for peers in Python.

SPDX-License-Identifier: Apache-2.0
"""

import json
import mmap
import sys
import time


class Cannot(Exception):
    """Why a peer does not solve a problem."""


def memory(size):
    """`size` bytes on a page boundary, touched: pages of the kind that every
    competitor has, whatever a library's own allocator would ask for."""
    data = mmap.mmap(-1, max(size, 1),
                     flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, size, mmap.PAGESIZE):
        data[at] = 0
    return data


class Problem:
    """A problem with both tensors in this process's memory."""

    def __init__(self, told):
        self.threads = told["threads"]
        self.dtype = told["dtype"]
        self.element_bytes = told["element_bytes"]
        # Where values change on the way.
        self.to_dtype = told.get("to_dtype")
        self.rectangles = told["rectangles"]
        if self.rectangles is None:
            raise Cannot("these layouts are not a few strided rectangles")
        self.src = memory(told["src"]["bytes"])
        self.dst = memory(told["dst"]["bytes"])
        self.dst_file = told["dst"]["file"]
        with open(told["src"]["file"], "rb") as file:
            file.readinto(self.src)

    def show(self):
        with open(self.dst_file, "r+b") as file:
            file.write(self.dst)


def answer(line, state, solver):
    told = json.loads(line)
    if "protocol" in told:
        state["threads"] = told["threads"]
        return {"protocol": 1, "version": solver.version(told["threads"])}
    if "problem" in told:
        state["run"] = None
        try:
            problem = Problem({**told["problem"], "threads": state["threads"]})
            state["run"] = solver.prepare(problem)
        except Cannot as reason:
            return {"cannot": str(reason)}
        state["run"]()
        problem.show()
        return {"ready": True}
    run = state["run"]
    begin = time.perf_counter()
    for _ in range(told["run"]):
        run()
    return {"seconds": time.perf_counter() - begin}


def serve(solver):
    """Answers until stdin ends. `solver` has version(threads) -> str and
    prepare(problem) -> a function that does the work once."""
    state = {"run": None}
    for line in sys.stdin:
        print(json.dumps(answer(line, state, solver)), flush=True)


def refuse(reason):
    """Says on greeting that this peer cannot work here."""
    sys.stdin.readline()
    print(json.dumps({"error": reason}), flush=True)
