#!/usr/bin/env python3
"""Runs a Google Benchmark program and holds it to limits, in nanoseconds.

    check_benchmark.py PROGRAM name=limit ...

The least of several repetitions counts: noise only ever adds.
"""
import json
import subprocess
import sys


def main():
    program, *limits = sys.argv[1:]
    run = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_min_time=0.05",
         "--benchmark_repetitions=5"],
        check=True, capture_output=True, text=True)
    least = {}
    for result in json.loads(run.stdout)["benchmarks"]:
        if result["run_type"] == "iteration":
            name = result["run_name"]
            least[name] = min(result["cpu_time"], least.get(name, 1e30))
    failed = 0
    for limit in limits:
        name, nanoseconds = limit.split("=")
        ok = least[name] <= float(nanoseconds)
        failed += not ok
        print(f"{name}: {least.pop(name):.1f} ns, at most {nanoseconds} "
              f"{'ok' if ok else 'TOO SLOW'}")
    for name, nanoseconds in least.items():
        print(f"{name}: {nanoseconds:.1f} ns")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
