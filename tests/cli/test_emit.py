"""emit: what it prints, compiled by cc, against at and who."""

import itertools
import subprocess

import support

LAYOUTS = [
    ("nChw16c", "2x17x5x4", "f32"),
    ("mace.height", "2x5x7x6", "f16"),
    ("okk.matrix(npus=4,npu_bytes=512,w=15)", "2x40", "f32"),
    ("n:120 c:30 h:8 w", "n=2,c=3,h=3,w=5", "u8"),
]


class Emit(support.CliTest):

    def program(self, told, extents):
        """Prints the offset of every element, then those that are found at
        every place."""
        rank = len(told["dims"])
        more = [str(e) for e in extents] if told["dynamic"] else []
        loops = "".join(f"for (int x{d} = 0; x{d} < {e}; ++x{d}) "
                        for d, e in enumerate(extents))
        index = ", ".join([f"x{d}" for d in range(rank)] + more)
        outs = ", ".join([f"&o{d}" for d in range(rank)] + more)
        integer = f"int{told['bits']}_t"
        return (f"#include <stdio.h>\n{told['code']}"
                "int main(void) {\n"
                f"  {loops}\n    printf(\"%lld\\n\", (long long)"
                f"{told['offset_function']}({index}));\n"
                f"  {integer} {', '.join(f'o{d}' for d in range(rank))};\n"
                "  for (int p = 0; p < 4000; ++p)\n"
                f"    if ({told['inverse_function']}(p, {outs}))\n"
                "      printf(\"%d\\n\", p);\n"
                "  return 0;\n}\n")

    def lines(self, told, extents):
        source, binary = self.path("main.c"), self.path("main")
        source.write_text(self.program(told, extents))
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", source, "-o",
                        binary], check=True)
        done = subprocess.run([binary], check=True, capture_output=True)
        return [int(line) for line in done.stdout.split()]

    def test_equals_at(self):
        for text, shape, dtype in LAYOUTS:
            options = [text, "--shape", shape, "--dtype", dtype]
            shown = self.answer("show", *options)
            extents = list(shown["dims"].values())
            static = self.answer("emit", *options)
            self.assertEqual(static["dims"], list(shown["dims"]))
            self.assertEqual(static["bits"], 32)
            lines = self.lines(static, extents)
            count = shown["elements"]
            indices = list(itertools.product(*map(range, extents)))
            for k in (0, count // 3, count - 1):
                at = self.answer("at", text, ",".join(map(str, indices[k])),
                                 *options[1:])
                self.assertEqual(lines[k], at["element_offset"], text)
            self.assertEqual(sorted(lines[:count]), lines[count:], text)
            dynamic = self.answer("emit", *options, "--dynamic")
            self.assertEqual(self.lines(dynamic, extents), lines, text)

    def test_text_is_the_code(self):
        for lang in ("c", "opencl", "cuda"):
            args = ["emit", "nhwc", "--shape", "n=1,c=2,h=3,w=4", "--lang", lang]
            told = self.answer(*args)
            self.assertEqual(told["lang"], lang)
            self.assertEqual(support.run(*args).out, told["code"])
            for key in ("offset", "coordinates", "inverse"):
                self.assertIn(told[key + "_function"] + "(", told["code"])

    def test_refuses(self):
        nchw = ["emit", "nchw", "--shape", "1x2x3x4"]
        self.refused(*nchw, "--lang", "rust", says="opencl")
        self.refused(*nchw, "--name", "a b", says="identifier")
        self.refused(*nchw, "--bits", "16")
        self.refused("emit", "n", "--shape", "n=2,c=3", says="not covered")
        self.refused("emit", "nchw", says="--shape")
        self.refused("emit", "n c", "--shape", "n=70000,c=70000", "--bits",
                     "32", says="32 bits")
        self.refused("emit", "x=n:^64B | c", "--shape", "n=3,c=5",
                     "--dynamic", says="aligned")


if __name__ == "__main__":
    support.main()
