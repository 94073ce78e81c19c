#!/usr/bin/env python3
"""Follows src/ir/ops/ADDING_AN_OP.md: makes its edits in a copy and compiles what it names.

follow.py --source TREE --work FOLDER [--whole --configure OPTION...] COMPILER FLAG...

Alone: with all edits every file that the page names compiles, and where one is left out the compiler
says what the page says. With --whole the copy is built and the tool runs the op on the interpreter
and on the CPU, and prints it as StableHLO and reads that again.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

PAGE = "src/ir/ops/ADDING_AN_OP.md"
EDIT = re.compile(r"^\s*In `([^`]+)`, before `([^`]+)`:$")
CREATE = re.compile(r"^\s*Create `([^`]+)`:$")
WITHOUT = re.compile(r"^\s*Without (?:it|`([^`]+)`): `([^`]+)` says `([^`]+)`\.$")


class Edit:
    """A block of text and where it goes; before is None of a file that is new."""

    def __init__(self, path, before, text):
        self.path, self.before, self.text = path, before, text


def block_after(lines, at):
    """The indented block that follows line `at`, without its indentation."""
    first = at + 1
    while not lines[first].strip():
        first += 1
    depth = len(lines[first]) - len(lines[first].lstrip())
    block = []
    for line in lines[first:]:
        if line.strip() and len(line) - len(line.lstrip()) < depth:
            break
        block.append(line[depth:])
    return "\n".join(block).rstrip() + "\n"


def read_page(text):
    """The edits in order, and (edit, part of it or None, file, message) of what is missed."""
    edits, misses = [], []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if m := EDIT.match(line):
            edits.append(Edit(m[1], m[2], block_after(lines, i)))
        elif m := CREATE.match(line):
            edits.append(Edit(m[1], None, block_after(lines, i)))
        elif m := WITHOUT.match(line):
            misses.append((edits[-1], m[1], m[2], m[3]))
    return edits, misses


def edited(source, edits):
    """The files that the edits touch, by path."""
    files = {}
    for e in edits:
        if e.before is None:
            files[e.path] = e.text
            continue
        if e.path not in files:
            with open(os.path.join(source, e.path)) as f:
                files[e.path] = f.read()
        text = files[e.path]
        at = 0 if text.startswith(e.before) else text.find("\n" + e.before) + 1
        if at == 0 and not text.startswith(e.before):
            sys.exit(f"{PAGE}: no line of {e.path} begins with '{e.before}'")
        files[e.path] = text[:at] + e.text + text[at:]
    return files


def write(folder, files):
    for path, text in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)


def compile_file(options, folder, path):
    """Checks one file, headers of `folder` before those of the tree: (status, what was said)."""
    own = os.path.join(folder, path)
    file = own if os.path.exists(own) else os.path.join(options.source, path)
    # A file finds what lies beside it in the tree first there: those that are edited, in the copy.
    includes = [f"-I{base}/{part}" for part in ("src", "include", "tests", os.path.dirname(path))
                for base in (folder, options.source)]
    done = subprocess.run([*options.compiler, "-std=c++20", "-fsyntax-only", "-w", *includes, file],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check_messages(options, edits, misses):
    """What is wrong, a line each."""
    jobs = []
    whole = os.path.join(options.work, "all")
    write(whole, edited(options.source, edits))
    for path in sorted({e.path for e in edits} | {file for _, _, file, _ in misses}):
        if path.endswith(".cc"):
            jobs.append((whole, path, None))
    for i, (edit, part, file, message) in enumerate(misses):
        folder = os.path.join(options.work, f"without_{i}")
        if part is None:
            rest = [e for e in edits if e is not edit]
        else:
            if part not in edit.text:
                yield f"{PAGE}: the edit of {edit.path} has no '{part}'"
                continue
            rest = [Edit(e.path, e.before, e.text.replace(part, "")) if e is edit else e
                    for e in edits]
        write(folder, edited(options.source, rest))
        jobs.append((folder, file, message))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: compile_file(options, *job[:2]), jobs)
        for (_, path, message), (status, said) in zip(jobs, results):
            if message is None and status:
                yield f"{path} does not compile with all edits:\n{said}"
            elif message is not None and not status:
                yield f"{path} compiles, and should say {message}"
            elif message is not None and message not in said:
                yield f"{path} does not say {message}:\n{said}"


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def check_op(options, edits):
    """Builds the copy and runs the op: what is wrong, a line each."""
    copy, build = os.path.join(options.work, "tree"), os.path.join(options.work, "build")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(options.source, copy,
                    ignore=lambda folder, names: {"build", ".git"} if folder == options.source else ())
    files = edited(options.source, edits)
    write(copy, files)
    for command in (["cmake", "-S", copy, "-B", build, *options.configure],
                    ["cmake", "--build", build, "--target", "sinter_tool"]):
        status, _, said = run(command)
        if status:
            yield said[-4000:]
            return
    tool = os.path.join(build, "bin", "sinter")
    programs = next(text for path, text in files.items() if path.endswith(".hlo"))
    for number, program in enumerate(programs.split("// ---\n")):
        path = os.path.join(options.work, f"program_{number}.hlo")
        with open(path, "w") as f:
            f.write(program)
        for device in ("eval", "cpu"):
            status, _, said = run([tool, "run", path, f"--device={device}"])
            if status:
                yield said
        status, text, said = run([tool, "opt", path, "--emit=stablehlo"])
        again = os.path.join(options.work, f"program_{number}.mlir")
        with open(again, "w") as f:
            f.write(text)
        if status or "sinpi" not in text:
            yield f"no StableHLO of the op:\n{said}"
            continue
        status, _, said = run([tool, "run", again, "--device=cpu"])
        if status:
            yield said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, help="the tree")
    parser.add_argument("--work", required=True, help="where copies lie")
    parser.add_argument("--whole", action="store_true", help="build the copy and run the op")
    parser.add_argument("--configure", action="append", default=[], help="an option of cmake")
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()
    options.source = os.path.realpath(options.source)
    if not options.whole:
        shutil.rmtree(options.work, ignore_errors=True)
    with open(os.path.join(options.source, PAGE)) as f:
        edits, misses = read_page(f.read())
    if len(edits) < 10 or len(misses) < 5:
        sys.exit(f"{PAGE}: {len(edits)} edits, {len(misses)} messages: its form is not what is read here")
    check = check_op(options, edits) if options.whole else check_messages(options, edits, misses)
    wrong = list(check)
    for w in wrong:
        print(w)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
