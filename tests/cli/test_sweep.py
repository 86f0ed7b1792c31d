"""Numbers around the ends of 31, 32, 53, 62 and 63 bits, in every option and command that
takes one: an answer or an error, soon, in little memory."""

import concurrent.futures
import os
import resource
import subprocess
import unittest

import support
from support import BINARY, INSTRUMENTED, CliTest, sampled

NUMBERS = sorted({2 ** bits + more for bits in (31, 32, 53, 62, 63)
                  for more in (-1, 0, 1)} | {0, -1, -2 ** 63, 2 ** 64})
# Of a program that sanitizers instrument, seconds are others.
SECONDS = 40 if INSTRUMENTED else 2
BYTES = 1 << 30


# '#' is each of the numbers in turn.
COMMANDS = """
show nchw --shape n=#,c=1,h=1,w=1
show nchw --shape n=#,c=#,h=1,w=1
show nChw16c --shape n=1,c=#,h=1,w=1
show nChw16c --shape n=1,c=1,h=#,w=1 --dtype f64
show 'a b:#' --shape a=2,b=2
show 'a:# b:1' --shape a=2,b=2
show 'a:# b' --shape a=2,b=2
show 'a:#B b' --shape a=2,b=2
show 'a b:^#B' --shape a=2,b=2
show 'a/# b a%#' --shape a=2,b=2
show '(a+#)%8 b' --shape a=2,b=2
show 'a (b+#)/4' --shape a=2,b=2
show 'okk.aligned(npus=#)' --shape 1x2x3x4
show 'okk.aligned(start=#)' --shape 1x2x3x4
show 'okk.matrix(npus=4,w=#)' --shape 2x#
show 'okk.matrix(npus=#,w=10)' --shape 2x40
show gguf.q4_0 --shape 1x#
show mace.channel --shape 1x#x2x2
at nchw --shape 1x2x3x4 0,0,0,#
at nchw --shape 1x2x3x4 n=0,c=0,h=#,w=0
at nchw --shape n=#,c=2,h=2,w=2 0,1,1,1
at nChw16c --shape n=#,c=17,h=2,w=2 0,1,1,1
at 'a:# b' --shape a=2,b=2 1,1
who nchw --shape 1x2x3x4 --byte #
who nchw --shape 1x2x3x4 --bit #
who nchw --shape 1x2x3x4 --element #
who nChw16c --shape 1x17x3x4 --byte #
who nChw16c --shape 1x17x3x# --byte 7
who mace.channel --shape 1x17x3x4 --coord row=#,pixel=0,lane=0
who 'okk.aligned(start=2)' --shape 1x2x3x4 --byte #
who 'a:# b' --shape a=2,b=2 --byte #
plan nchw nhwc --shape n=#,c=1,h=1,w=1
plan nchw nhwc --shape n=1,c=#,h=3,w=1
plan nchw nChw16c --shape n=1,c=#,h=3,w=1
plan nchw nhwc --shape n=1,c=3,h=#,w=2 --dtype s8 --to-dtype f32
plan ab 'a:# b' --shape a=2,b=2
plan 'a:# b' ab --shape a=2,b=2
plan ab 'b a%2 a/2' --shape a=#,b=2
plan ab 'a b%2 b/2' --shape a=2,b=# --dtype s4
plan ab 'a:#B b' --shape a=2,b=2 --explain
convert in.bin o.bin --from nchw --to nhwc --shape n=#,c=2,h=3,w=4 --dtype u8
convert in.bin o.bin --from nchw --to 'n:# c h w' --shape 1x2x3x4 --dtype u8
convert in.bin o.bin --from 'n:# c h w' --to nchw --shape 1x2x3x4 --dtype u8
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype u8 --start #
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype u8 --skip #
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype u8 --fill #
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype u8 -j #
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype u8 --from-window h=#..,w=0..2
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype u8 --from-window h=0..#
convert in.bin w.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype u8 --to-window h=#..#
convert in.bin w.bin --from nchw --to nhwc --shape 1x2x3x# --dtype u8 --to-window w=0..4
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype s8 --to-dtype s8 --zero-point #
convert in.bin o.bin --from nchw --to nhwc --shape 1x2x3x4 --dtype s8 --to-dtype f32 --scale #
convert empty.bin o.bin --from nchw --to nhwc --shape 0x2x3x4 --dtype u8 --start #
convert empty.bin o.bin --from nchw --to nhwc --shape 0x2x3x# --dtype u8 --skip 1
convert in.bin o.npy --from nchw --to nhwc --shape 1x2x3x# --dtype s4
convert in.bin o.safetensors:w --from nchw --to nhwc --shape 1x2x#x4 --dtype u8
decode in.bin o.npy --from nchw --shape n=#,c=1,h=1,w=1 --dtype u8
decode in.bin o.npy --from nchw --shape 1x2x3x4 --dtype u8 --start #
decode in.bin o.npy --from nchw --shape 1x2x3x4 --dtype u8 --skip #
decode in.bin o.npy --from nchw --shape 1x2x3x4 --dtype u8 -j #
decode in.bin o.npy --from 'okk.aligned(start=#)' --shape 1x2x3x4 --dtype u8
emit nchw --shape n=#,c=1,h=1,w=1
emit nChw16c --shape n=1,c=#,h=2,w=2
emit nchw --shape 1x2x3x4 --bits #
emit nchw --dynamic --bits #
emit 'a:# b' --shape a=2,b=2 --lang opencl
emit 'a/# b a%#' --shape a=4,b=2
draw nchw --shape n=#,c=1,h=1,w=1
draw nchw --shape 1x1x1x# --out d.svg
draw nChw16c --shape 1x#x1x4 --out d.html
draw nchw --shape 1x2x3x4 --grid #
draw nchw --shape 1x2x3x4 --max-cells #
draw nchw --shape 1x2x3x4 --max-columns # --out d.svg
draw nchw --shape 1x2x3x4 --mark x=#
draw 'n:# c h w' --shape n=2,c=2,h=3,w=4
draw nchw --shape 1x#x3x4 --with-logical --out d.svg
draw nchw --shape 1x2x3x# --to nhwc --out d.svg
draw mace.channel --shape 1x#x2x3 --view image
draw 'okk.aligned(start=#)' --shape 1x2x3x4 --view banks
draw nchw --shape 1x2x3x4 --data in.bin --dtype u8 --label value --grid #
probe p.npy --shape #
probe p.npy --shape #x2 --dtype s8
probe p.bin --shape n=# --dtype f64
probe p.npy --shape 0x#
infer q.npy q.npy --record #
infer q.npy q.npy --part-at #
infer q.npy q.npy --record 8 --part-bytes #
infer q.npy in.bin --shape 1x2x3x#
infer in.bin in.bin --shape n=#,c=24 --dtype u8
infer q.npy q.npy --rtol #
diff in.bin in.bin -a nchw -b nchw --shape n=#,c=2,h=3,w=4 --dtype u8
diff in.bin in.bin -a nchw -b nhwc --shape 1x2x3x4 --dtype u8 --skip-a #
diff in.bin in.bin -a nchw -b nhwc --shape 1x2x3x4 --dtype u8 --skip-b #
diff q.npy q.npy -a nchw -b nchw --shape 1x2x3x4 --ulp #
diff q.npy q.npy -a nchw -b nchw --shape 1x2x3x4 --atol #
diff in.bin in.bin -a 'n:# c h w' -b nchw --shape 1x2x3x4 --dtype u8
doctor in.bin q.npy --shape #x2 --dtype u8
doctor in.bin q.npy --dtype u8 --rtol #
check in.bin --layout nchw --shape n=#,c=2,h=3,w=4 --dtype u8
check in.bin --layout nchw --shape 1x2x3x4 --dtype u8 --start #
check in.bin --layout nchw --shape 1x2x3x4 --dtype u8 --skip #
check empty.bin --layout nchw --shape 0x2x3x4 --dtype u8 --start #
check in.bin --layout 'nChw16c' --shape 1x#x1x1 --dtype u8
offsets nchw --shape n=#,c=1,h=1,w=1 --out o.npy
offsets 'a<T> b' --shape a=2,b=2 --out o.npy --table T=#,0
offsets 'a:# b' --shape a=2,b=2 --out o.npy
offsets 'a:# b' --shape a=2,b=2 --out o.npy --inverse
offsets 'a:# b' --shape a=2,b=2 --unit bit --out o.npy
offsets nchw --shape 0x#x3x4 --out o.npy
bench nchw nhwc --shape n=#,c=2,h=2,w=2 --rounds 1
bench nchw nhwc --shape 1x2x3x4 --rounds #
bench --tune o.txt --tune-seconds # --only nothing
bench nchw nhwc --shape 1x2x3x4 --rounds 1 -j #
bench nchw nhwc --shape 1x2x3x4 --rounds 1 --timeout #
advise --shape 1x#x3x4 --family onednn
advise --shape n=#,c=#,h=3,w=4 --family onednn --limit dma_dims=2
advise --shape 2x# --family okk.matrix(npus=4)
advise --shape 2x40 --family okk.matrix(npus=#)
advise --shape 1x2x3x4 --family okk(npus=#)
advise --shape 1x2x3x4 --family okk(npu_bytes=#)
advise --shape 1x2x3x4 --family tile --top #
advise --shape 1x2x3x4 --family tma --limit banks=# --limit bank_width_bytes=4
advise --shape 1x2x3x4 --family tile --limit banks=32 --limit bank_width_bytes=#
advise --shape 1x2x3x4 --family tile --box h=#,w=2 --limit banks=4 --limit bank_width_bytes=4
advise --shape 1x2x3x4 --family tile --vector c=#
advise --shape 1x2x3x4 --family tile --limit dma_dims=#
advise --shape 1x#x3x4 --family onednn --from nchw
advise --shape 1x2x3x# --why 'n:# c h w'
list #
ls in.bin:#
kernels #
devices #
""".strip().splitlines()


def words_of(line):
    """As a shell splits it: only simple quotes are there."""
    words, quoted = [], False
    for part in line.split("'"):
        words += [part] if quoted else part.split()
        quoted = not quoted
    return words


def limit():
    # Instrumented programs reserve more than they use.
    if not INSTRUMENTED:
        resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Sweep(CliTest):
    def setUp(self):
        super().setUp()
        for name, size in (("in.bin", 24), ("w.bin", 24), ("empty.bin", 0)):
            self.path(name).write_bytes(bytes(range(size)))
        self.answer("probe", self.path("q.npy"), "--shape", "1x2x3x4")

    def end_of(self, words):
        """What is wrong with how a command ends; None: nothing."""
        with subprocess.Popen(
                [BINARY, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                preexec_fn=limit) as process:
            try:
                _, error = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return f"{words}: longer than {SECONDS} s"
        if process.returncode not in (0, 1, 2):
            return f"{words}: {process.returncode}\n{error[-400:].decode()}"
        if b"not enough memory" in error:
            return f"{words}: more than 1 GiB"
        return None

    def test_numbers_at_the_ends(self):
        jobs = [words_of(line.replace("#", str(number))) for line in COMMANDS
                for number in NUMBERS]
        self.assertGreater(len(jobs), 2000)
        jobs = sampled(jobs)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [text for text in pool.map(self.end_of, jobs) if text]
        self.assertFalse(wrong, f"{len(wrong)} of {len(jobs)}:\n" +
                         "\n".join(wrong[:20]))

    def test_every_integer_option_is_there(self):
        commands = {line.split()[0] for line in COMMANDS}
        for command in sorted(commands):
            done = support.run(command, "--help")
            for line in done.out.splitlines():
                words = line.split()
                if len(words) < 2 or not words[1].startswith("INT"):
                    continue
                names = words[0].split(",")
                self.assertTrue(
                    any(f" {name} #" in one and one.startswith(command + " ")
                        for one in COMMANDS for name in names),
                    f"{command} {names}: no line has it")

    def test_no_number_is_negative_that_counts(self):
        for text in ("show nchw --shape n=#,c=1,h=1,w=1 --json",
                     "plan nchw nhwc --shape n=#,c=1,h=1,w=1 --json",
                     "show 'a:# b' --shape a=2,b=2 --json",
                     "draw nchw --shape n=#,c=1,h=1,w=1 --json"):
            for number in (2 ** 61, 2 ** 62 - 1, 2 ** 62, 2 ** 63 - 1):
                words = words_of(text.replace("#", str(number)))
                done = support.run(*words, timeout=SECONDS)
                if done.code == 0:
                    self.assertNotRegex(done.out, r"[ \[:]-\d", words)


if __name__ == "__main__":
    support.main()
