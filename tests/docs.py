#!/usr/bin/env python3
"""docs.py SALTUS LIBRARY INCLUDE DOCUMENT [--cc COMMAND...] [--libs LIBRARIES...] - what a document shows is what happens.

Every fenced block of the document is used, in order, in one folder that holds `scenes`:

    ```json ball.json          a file of that name is written; so are python, c and text with a name
    ```json into ball.json     a piece of a scene: merged into the file, the whole must pass `saltus check`
    ```console                 `$ command` (a \\ at its end goes on), then all that it prints, stderr as well. A line
                               `...` stands for any lines, `...` within one for any text; numbers have to be equal
                               in eight digits. The command has to succeed
    ```console fails           the same, and it has to fail
    ```python                  is executed, with `saltus` at hand; as doctests where it has >>>

Other kinds (and blocks that are indented) are text: none may have a `$ command`. A block in a comment, <!-- to -->, is used
and not shown. `saltus`, `python3`, `cc` and `pkg-config` are those of the build. --write puts what was printed in place.
"""
import contextlib
import doctest
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(.*)$")
RUN = ("console", "console fails")


def blocks(lines):
    """(kind, first line, lines) of each fenced block; first counts from 0 and is that after the fence."""
    kind, first = None, 0
    for k, line in enumerate(lines):
        fence = FENCE.match(line)
        if kind is None and fence:
            kind, first = fence.group(1).strip(), k + 1
        elif fence:
            yield kind, first, lines[first:k]
            kind = None
        elif kind is None and line.startswith("    $ "):
            raise SystemExit(f"{k + 1}: a command that is not run: {line.strip()}")
    if kind is not None:
        raise SystemExit(f"{first}: a block without an end")


def commands(lines):
    """(first line, command, expected) of each command of a block."""
    found = []
    for k, line in enumerate(lines):
        if line.startswith("$ "):
            found.append([k, [line[2:]], []])
        elif not found:
            raise SystemExit("a block of the console begins with $")
        elif found[-1][1][-1].endswith("\\") and not found[-1][2]:
            found[-1][1].append(line)
        else:
            found[-1][2].append(line)
    return [(k, "\n".join(command), expected) for k, command, expected in found]


def rounded(line):
    """Numbers of more than eight digits with eight: the others are those of a processor."""
    return re.sub(r"-?\d[\d.]{9,}(?:e[-+]?\d+)?", lambda m: format(float(m.group()), ".8g"), line)


def agrees(expected, printed):
    pattern, printed = [], "".join(rounded(line) + "\n" for line in printed.split("\n")[:-1])
    for line in map(rounded, expected):
        if line.strip() == "...":
            pattern.append(r"(?:.*\n)*?")
        else:
            pattern.append(r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n")
    return re.fullmatch("".join(pattern), printed) is not None


def merged(base, piece):
    if not isinstance(base, dict) or not isinstance(piece, dict):
        return piece
    return {**base, **{key: merged(base.get(key), value) for key, value in piece.items()}}


class Document:
    def __init__(self, path, environment):
        self.path, self.environment, self.names, self.wrong = path, environment, {}, 0
        self.lines = path.read_text().split("\n")

    def fail(self, line, text):
        print(f"{self.path}:{line}: {text}")
        self.wrong += 1

    def shell(self, command):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
        return done.returncode, done.stdout

    def console(self, kind, first, lines):
        """The lines as they should be."""
        new = []
        for k, command, expected in commands(lines):
            code, printed = self.shell(command)
            if (code != 0) != (kind == "console fails"):
                self.fail(first + k + 1, f"exit code {code} of: {command}\n{printed}")
            shown = expected
            if printed and not printed.endswith("\n"):
                printed += "\n"
            while shown and not shown[-1].strip():
                shown = shown[:-1] # an empty line before the next command
            if not agrees(shown, printed):
                self.fail(first + k + 1, f"{command}\nprints\n{printed}expected\n" + "\n".join(expected))
                expected = printed.rstrip("\n").split("\n") if printed else []
            new += [*("$ " + command).split("\n"), *expected]
        return new

    def piece(self, name, first, lines):
        text = "\n".join(lines).strip().rstrip(",")
        try:
            piece = json.loads(text if text.startswith("{") else "{" + text + "}")
            scene = merged(json.loads(pathlib.Path(name).read_text()), piece)
        except (ValueError, OSError) as error:
            return self.fail(first, f"{name}: {error}")
        pathlib.Path("with_" + name).write_text(json.dumps(scene))
        code, printed = self.shell(f"saltus check {shlex.quote('with_' + name)}")
        if code != 0:
            self.fail(first, printed)

    def python(self, first, lines):
        text = "\n".join(lines) + "\n"
        if ">>>" in text:
            test = doctest.DocTestParser().get_doctest(text, self.names, str(self.path), str(self.path), first)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                runner.run(test, clear_globs=False)
            self.names.update(test.globs)
            if runner.failures:
                self.fail(first, said.getvalue())
            return
        try:
            exec(compile("\n" * first + text, str(self.path), "exec"), self.names)
        except Exception as error: # whatever it is, it is wrong
            self.fail(first, f"{type(error).__name__}: {error}")

    def run(self):
        new, tried = list(self.lines), 0
        for kind, first, lines in reversed([*self.use()]):
            new[first:first + len(kind)] = lines
            tried += 1
        return new, tried

    def use(self):
        """(old lines, first, new lines) of each block that is used."""
        for kind, first, lines in blocks(self.lines):
            word, _, name = kind.partition(" ")
            if kind in RUN:
                yield lines, first, self.console(kind, first, lines)
            elif name.startswith("into "):
                self.piece(name[5:], first, lines)
                yield lines, first, lines
            elif name:
                pathlib.Path(name).write_text("\n".join(lines) + "\n")
                yield lines, first, lines
            elif word == "python":
                self.python(first, lines)
                yield lines, first, lines
            elif word in ("json", "c", "sh", "bash"):
                self.fail(first, f"a block of {word} that nobody runs")


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def main():
    write = "--write" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--write"]
    libs = words[words.index("--libs") + 1:] if "--libs" in words else []
    words = words[:words.index("--libs")] if "--libs" in words else words
    cc = words[words.index("--cc") + 1:] if "--cc" in words else ["cc"]
    saltus, library, include, document = words[:4]
    path, root = pathlib.Path(document).resolve(), pathlib.Path(__file__).resolve().parent.parent
    text = path.read_text()
    for module in ("numpy", "scipy"):
        needs = re.search(rf"^<!-- needs {module} -->$", text, re.M)
        if needs and subprocess.run([sys.executable, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode:
            print(f"skipped: {module} (python3-{module}) is not installed")
            return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tools = pathlib.Path(folder, ".bin")
        tools.mkdir()
        flags = f"-I{include}"
        script(tools / "saltus", f'exec {shlex.quote(saltus)} "$@"\n')
        script(tools / "python3", f'exec {shlex.quote(sys.executable)} -B "$@"\n')
        script(tools / "cc", f'exec {shlex.join([shutil.which(cc[0]) or cc[0], *cc[1:]])} "$@"\n')
        script(tools / "pkg-config", f'case "$*" in *--libs*) echo {shlex.join([flags, *libs])} ;; '
                                     f'*) echo {shlex.quote(flags)} ;; esac\n')
        for name in ("scenes", "tools"):
            os.symlink(root / name, name)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "SALTUS_LIBRARY": library, "LC_ALL": "C",
                       "SALTUS_COMMAND": saltus, "PYTHONPATH": str(root / "tools" / "python"), "OPENBLAS_NUM_THREADS": "1"}
        os.environ.update(environment)
        sys.path.insert(0, environment["PYTHONPATH"])
        it = Document(path, environment)
        new, tried = it.run()
        os.chdir(root)
    if write:
        path.write_text("\n".join(new))
    print(f"{path.name}: {tried} blocks, {it.wrong} wrong")
    return 1 if it.wrong and not write else 0


if __name__ == "__main__":
    sys.exit(main())
