"""The README's C++ program: it prints what its comments say, and whatever a newcomer
breaks in one of its lines ends in an error, not in a crash.

    test_readme.py INCLUDE_DIR LIBRARY COMPILER

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE, LIBRARY, COMPILER = sys.argv[1:4]
FLAGS = ["-std=c++20", "-O1", "-D_GLIBCXX_ASSERTIONS", f"-I{INCLUDE}"]


def program():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"```cpp\n(.*?)```", readme, re.DOTALL).group(1)


def broken(source):
    """(what was changed, the program) for each text and number of its lines."""
    lines = source.split("\n")
    changes = [
        (r'"nchw"', ['"nchv"', '""', '"nhwc"', '"nchw "', '"n c h"', '"n n"']),
        (r'"n c/16 h w c%16"', ['"n c/16 h w c%15 q"', '"n c/16 h w"', '"|"',
                                '"n:0 c h w"', '"nChw16k"']),
        (r"sizeof\(float\)", ["sizeof(double)", "0", "-4", "3"]),
        (r'\{"c", 17\}', ['{"c", 0}', '{"c", -17}', '{"c", 3}', '{"d", 17}',
                          '{"c", 1LL << 62}', '{"n", 17}', '{"", 17}']),
        (r"offset\(1, 16, 4, 3\)", ["offset(9, 16, 4, 3)",
                                    "offset(1, -1, 4, 3)",
                                    "offset({1, 16, 4, 3})",
                                    "offset(1, 1 << 30, 4, 3)"]),
    ]
    for number, line in enumerate(lines):
        for pattern, others in changes:
            for other in others if re.search(pattern, line) else []:
                changed = re.sub(pattern, lambda _: other, line, count=1)
                yield changed, "\n".join(
                    [*lines[:number], changed, *lines[number + 1:]])


class Readme(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="stridewise-readme-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        # Read once for all variants.
        (self.folder / "all.hpp").write_text(
            "#include <iostream>\n#include <vector>\n"
            '#include "stridewise/stridewise.hpp"\n')
        subprocess.run([COMPILER, *FLAGS, "-x", "c++-header", "all.hpp"],
                       cwd=self.folder, check=True)

    def run_program(self, source):
        (self.folder / "main.cpp").write_text(source, encoding="utf-8")
        subprocess.run([COMPILER, *FLAGS, "-include", "all.hpp", "main.cpp",
                        LIBRARY, "-lfmt", "-o", "main"], cwd=self.folder,
                       check=True)
        return subprocess.run(["./main"], cwd=self.folder, check=False,
                              capture_output=True, text=True, timeout=60)

    def test_prints_what_its_comments_say(self):
        done = self.run_program(program())
        self.assertEqual(done.returncode, 0, done.stderr)
        said = re.findall(r"'\\n';\s*// (.*)", program())
        self.assertEqual(len(said), 3)
        self.assertEqual(done.stdout.splitlines(), said)

    def test_breaking_a_line_is_an_error_and_no_crash(self):
        count = 0
        for change, source in broken(program()):
            with self.subTest(change):
                done = self.run_program(source)
                self.assertIn(done.returncode, (0, 2), done.stderr)
                if done.returncode == 2:
                    self.assertTrue(done.stderr.strip())
                count += 1
        self.assertGreaterEqual(count, 30)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
