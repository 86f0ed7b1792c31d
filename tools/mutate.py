#!/usr/bin/env python3
"""Faults put into the planner and the kernels, one at a time: do the tests find them?

  tools/mutate.py [--mutants 200] [--seed 1] [--jobs 2] [--all]

Makes a copy of the sources in build/mutation whose library has all of the faults, each
asleep until the environment variable STRIDEWISE_MUTANT names it; builds it once; then runs
the tests of engine/ and reorder/ for each fault until one fails. --all runs every other
test, too, for those that are left. Prints them, for a person to look at: one that can change
no result goes into tools/no_faults.toml, with the reason; each other one needs a test.

Exit code 0: at least 95 of 100 were found. Takes hours.
"""
import argparse
import concurrent.futures
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
TREE = WORK / "tree"
SUBJECTS = ["src/engine", "src/reorder/planner", "src/reorder/fields", "src/reorder/run.cpp"]
# Written for people: no test of conversions reads it.
TEXT = ("print.cpp", "explain.cpp", "describe.cpp")
# Lines of speed alone, of preconditions that this build leaves out, and those that hand on
# an error which another line has found.
NO_RESULT = re.compile(r"\b(ahead|ask|cycles|hints|profile|reserve|streams|stream_fence|"
                       r"whole_lines|STRIDEWISE_EXPECTS)\b|return unexpected\(")
# Changes that a person has read, and that change no result: with the reason of each.
READ = ROOT / "tools" / "no_faults.toml"
SWITCH = """#pragma once
#include <cstdlib>
inline const int stridewise_mutant =
    std::getenv("STRIDEWISE_MUTANT") ? std::atoi(std::getenv("STRIDEWISE_MUTANT")) : 0;
constexpr int mutant(int k) {
  return __builtin_is_constant_evaluated() ? 0 : stridewise_mutant == k;
}
"""
# Those first that find most in least time; the last are all of the two folders.
FIRST = "^reorder/(golden|fields|passes)$|^engine/(bits|moves)$"
STAGES = [(["-R", FIRST], {}),
          (["-R", "^reorder/evaluated$"], {"STRIDEWISE_PAIRS": "3000"}),
          # The second stage has plans for every instruction set already.
          (["-R", "^(engine|reorder)/", "-E",
            FIRST + "|^reorder/evaluated$|^reorder/reorder/(portable|sse4|avx2)$"], {})]
FEW_LEFT = 0.05

# What is found in a line, and what stands there instead; "@" is the number of the fault.
CHANGES = [
    (re.compile(r" (<|<=|>|>=|==|!=|\+) (?=[\w(])"), r" \1 mutant(@) + "),
    (re.compile(r" - (?=[\w(])"), r" - mutant(@) - "),
    (re.compile(r" (\*|/) (?=[\w(])"), r" \1 (1 + mutant(@)) \1 "),
    (re.compile(r" (&&) "), r" && !mutant(@) && "),
    (re.compile(r" (\|\|) "), r" || mutant(@) || "),
    (re.compile(r"\breturn (true|false);"), r"return mutant(@) != \1;"),
    (re.compile(r"(?<=\bif \()(?!constexpr)(?=[^;]*\) )"), "mutant(@) == 0 && "),
    (re.compile(r"^( +)((?:\+\+|--)?[\w.\->\[\]]+(?: [-+|&*/]?= [^{}]*|\([^{}]*\))?;)$"),
     r"\1if (!mutant(@)) \2"),
]
NO_STATEMENT = re.compile(r"^ *(return|using|const|constexpr|static|std::|auto|template|case|#|//)")


def sites(text):
    """Each place of a file that can be another: (line, begin, end, what stands there)."""
    found = []
    lines = text.split("\n")
    whole = True  # whether a statement begins here
    for number, line in enumerate(lines):
        code = line.split("//")[0].rstrip()
        skipped = ("constexpr" in code or "template" in code or "static_assert" in code or
                   "operator" in code or '"' in code or code.lstrip().startswith("#") or
                   NO_RESULT.search(code))
        for pattern, instead in CHANGES if code and not skipped else []:
            of_statement = pattern.pattern.startswith("^")
            if of_statement and (not whole or NO_STATEMENT.match(code)):
                continue
            if not code.startswith("  "):
                continue  # a declaration
            found += [(number, match.start(), match.end(), match.expand(instead))
                      for match in pattern.finditer(code)]
        if code:
            whole = code.endswith((";", "{", "}"))
    return found


def subjects():
    for name in SUBJECTS:
        path = ROOT / name
        files = sorted(path.rglob("*.[ch]pp")) if path.is_dir() else [path]
        yield from (file.relative_to(ROOT) for file in files if file.name not in TEXT)


def changed(line, site, number="@"):
    _, begin, end, instead = site
    return line[:begin] + instead.replace("@", str(number)) + line[end:]


def draw(sources, count, seed):
    """Faults by number, from all places with the same chance, but one a line."""
    read = {(one["file"], one["line"]) for one in tomllib.loads(READ.read_text())["no_fault"]}
    seen = set()
    all_sites = {}
    for file, text in sources.items():
        lines = text.split("\n")
        for site in sites(text):
            one = (str(file), changed(lines[site[0]], site).strip())
            seen.add(one)
            if one not in read:
                all_sites.setdefault((file, site[0]), []).append(site)
    for file, line in sorted(read - seen):
        sys.exit(f"{READ}: {file} has no such change any more: {line}")
    lines = sorted(all_sites)
    draws = random.Random(seed)
    draws.shuffle(lines)
    chosen = [(file, draws.choice(all_sites[file, line])) for file, line in lines[:count]]
    return {k + 1: mutant for k, mutant in enumerate(chosen)}


def write(sources, mutants):
    """The copy's sources, with these faults."""
    by_file = {}
    for number, (file, site) in mutants.items():
        by_file.setdefault(file, []).append((number, site))
    for file, original in sources.items():
        lines = original.split("\n")
        for number, site in by_file.get(file, []):
            lines[site[0]] = changed(lines[site[0]], site, number)
        text = "\n".join(lines)
        if (TREE / file).read_text() != text:
            (TREE / file).write_text(text)


def copy():
    TREE.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        to = TREE / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.read_bytes() != (ROOT / name).read_bytes():
            shutil.copy2(ROOT / name, to)
    # Tests find what was set up for them.
    (TREE / "build").mkdir(exist_ok=True)
    if not (TREE / "build" / "oracles").exists():
        (TREE / "build" / "oracles").symlink_to(ROOT / "build" / "oracles")
    (WORK / "mutants.hpp").write_text(SWITCH)


def build(sources, mutants):
    """Builds the copy; faults that do not compile are dropped."""
    subprocess.run(["cmake", "--preset", "dev", "-DSTRIDEWISE_WERROR=OFF",
                    "-DSTRIDEWISE_BENCHMARKS=OFF", "-DSTRIDEWISE_EMULATION=OFF",
                    # What the sanitizers of ./test see of vectors, this sees, too.
                    f"-DCMAKE_CXX_FLAGS=-w -D_GLIBCXX_ASSERTIONS -include {WORK}/mutants.hpp"],
                   cwd=TREE, check=True, stdout=subprocess.DEVNULL)
    while True:
        write(sources, mutants)
        done = subprocess.run(["cmake", "--build", "--preset", "dev", "--", "-k", "0"],
                              cwd=TREE, capture_output=True, text=True)
        if done.returncode == 0:
            return
        bad = set()
        for path, line in re.findall(r"(/\S+?):(\d+):(?:\d+:)?", done.stdout + done.stderr):
            for number, (file, site) in mutants.items():
                if str(TREE / file) == path and site[0] + 1 == int(line):
                    bad.add(number)
        if not bad:
            sys.exit(done.stdout[-4000:])
        print(f"{len(bad)} do not compile", flush=True)
        for number in bad:
            del mutants[number]


def folder_of_tests(job):
    """The list of tests once more: ctest writes beside it."""
    base, copy = TREE / "build" / "release", WORK / f"tests{job}"
    shutil.rmtree(copy, ignore_errors=True)
    for file in [*base.rglob("CTestTestfile.cmake"), *base.rglob("*_include*.cmake")]:
        to = copy / file.relative_to(base)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
    return copy


def is_found(number, folder, every):
    stages = STAGES
    if every:
        stages = [*STAGES, (["-E", "^(engine|reorder)/|source|install|run/run"], {})]
    return any(subprocess.run(
        ["ctest", "--test-dir", folder, "--timeout", "300", "--stop-on-failure", *which],
        capture_output=True,
        env={**os.environ, **more, "STRIDEWISE_MUTANT": str(number)}).returncode != 0
        for which, more in stages)


def run(sources, mutants, chosen, jobs, every):
    """Those that no test finds."""
    folders = queue.Queue()
    for job in range(jobs):
        folders.put(folder_of_tests(job))

    def one(number):
        folder = folders.get()
        try:
            return is_found(number, folder, every)
        finally:
            folders.put(folder)

    if one(0):
        sys.exit("tests fail without a fault")
    left = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done, (number, found) in enumerate(zip(chosen, pool.map(one, chosen)), 1):
            file, site = mutants[number]
            line = sources[file].split("\n")[site[0]]
            print(f"{done}/{len(chosen)} {'found' if found else 'LEFT '} {file}:{site[0] + 1} "
                  f"{changed(line, site).strip()}", flush=True)
            if not found:
                left.append(number)
    return left


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="run all tests for those left")
    options = parser.parse_args()
    # Of this moment: who edits them meanwhile changes nothing.
    sources = {file: (ROOT / file).read_text() for file in subjects()}
    copy()
    # More than are asked for: not each compiles.
    mutants = draw(sources, options.mutants + options.mutants // 4, options.seed)
    build(sources, mutants)
    chosen = sorted(mutants)[:options.mutants]
    left = run(sources, mutants, chosen, options.jobs, options.all)
    print(f"{len(chosen) - len(left)} of {len(chosen)} found")
    return 1 if len(left) > FEW_LEFT * len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
