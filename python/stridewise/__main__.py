"""`python -m stridewise`: the command line, which the package brings as a program."""

import os
import pathlib
import sys
import sysconfig


def program() -> str:
    """Where pip has put the program.

    Raises:
        FileNotFoundError: nowhere that is known.
    """
    folders = [pathlib.Path(sysconfig.get_path("scripts")),
               pathlib.Path(sysconfig.get_path("scripts", f"{os.name}_user")),
               # `pip install --target`
               pathlib.Path(__file__).parents[1] / "bin"]
    for folder in folders:
        if (folder / "stridewise").is_file():
            return str(folder / "stridewise")
    raise FileNotFoundError("stridewise: the program is in none of "
                            + ", ".join(map(str, folders)))


if __name__ == "__main__":
    os.execv(program(), ["stridewise", *sys.argv[1:]])
