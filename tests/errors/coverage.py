"""Every message of the shape rules and of the verifier is the expectation of a file of this folder.

    python3 tests/errors/coverage.py

A message is a string that REQUIRE(...) or InvalidArgument(...) formats in src/ir/ops and
src/ir/verify; it counts as expected where its text, with anything in place of {}, stands in an
expectation. Those that no text can cause are listed below, with the reason.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

NOT_FROM_TEXT = {
    "needs the result's shape": "text declares the shape of every result",
    "(C1) needs a branch": "the parser wants a branch's name",
    "calls {} computation{}, got {}": "the parser asks for each computation by its key",
    "the number {} must not be negative": "the parser refuses a sign",
    "the operands must be tokens": "the parser leaves out what is none, as XLA's text orders by it",
    "has no value": "the parser makes constants with their value",
    "{} the dimension numbers {} of the {} must be different dimensions of {}":
        "labels stand for one dimension each",
    "two computations {}": "the parser refuses the second name",
    "module {} has no entry": "the parser does",
    "{}: has no root": "the last instruction is the root where none is marked",
    "{}: there is no parameter {}": "the parser knows the parameters",
}

STRING = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
CALL = re.compile(r"\b(?:REQUIRE|return InvalidArgument)\(")


def message_after(source, start):
    """The string literal, its pieces joined, that a call formats; None where it has none."""
    at = source.find('"', start)
    if at < 0 or ";" in source[start:at]:
        return None
    text = ""
    while piece := STRING.match(source, at):
        text += piece.group(1)
        at = piece.end()
    return text


def pattern(message):
    """A message as a regular expression, anything in place of what is formatted."""
    escaped = message.replace("{{", "\0").replace("}}", "\1")
    parts = (re.escape(p) for p in re.split(r"\{[^}]*\}", escaped))
    return ".*".join(parts).replace("\0", r"\{").replace("\1", r"\}")


def main():
    expected = "\n".join(line[len("// EXPECT:"):]
                         for path in sorted((ROOT / "tests/errors").glob("*.hlo"))
                         for line in path.read_text().splitlines()
                         if line.startswith("// EXPECT:"))
    missing, count, excused = [], 0, set()
    for folder in ("src/ir/ops", "src/ir/verify"):
        for path in sorted((ROOT / folder).glob("*.cc")):
            source = path.read_text()
            for call in CALL.finditer(source):
                message = message_after(source, call.end())
                if message is None or not re.sub(r"\{[^}]*\}|\W", "", message):
                    continue
                count += 1
                if message in NOT_FROM_TEXT:
                    excused.add(message)
                elif not re.search(pattern(message), expected):
                    line = source.count("\n", 0, call.start()) + 1
                    missing.append(f"{path.relative_to(ROOT)}:{line}: no test expects: {message}")
    missing += [f"excused, but nowhere: {m}" for m in NOT_FROM_TEXT if m not in excused]
    print("\n".join(missing) or f"{count} messages, each expected")
    return 1 if missing or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
