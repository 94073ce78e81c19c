"""Every message of the shape rules and of the verifier is the expectation of a file of this folder,
and every constraint of the StableHLO specification by its label.

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
    "states {} layouts for {} arrays of its {}": "each shape is read with its layout",
    "has no value": "the parser makes constants with their value",
    "{} the dimension numbers {} of the {} must be different dimensions of {}":
        "labels stand for one dimension each",
    "two computations {}": "the parser refuses the second name",
    "module {} has no entry": "the parser does",
    "{}: has no root": "the last instruction is the root where none is marked",
    "{}: there is no parameter {}": "the parser knows the parameters",
}

# How many labels of constraints the StableHLO specification (1.20) has for each operation.
CONSTRAINTS = {
    "abs": 2, "add": 7, "all_gather": 6, "all_reduce": 7, "all_to_all": 9, "and": 1,
    "async_done": 1, "async_start": 4, "atan2": 1, "batch_norm_grad": 5,
    "batch_norm_inference": 7, "batch_norm_training": 7, "bitcast_convert": 2,
    "broadcast_in_dim": 6, "case": 4, "cbrt": 1, "ceil": 1, "cholesky": 3, "clamp": 4,
    "collective_broadcast": 6, "collective_permute": 5, "collective_reduce": 4, "compare": 3,
    "complex": 3, "composite": 4, "concatenate": 6, "constant": 1, "convert": 1,
    "convolution": 34, "cosine": 1, "count_leading_zeros": 1, "divide": 1, "dot_general": 24,
    "dynamic_broadcast_in_dim": 10, "dynamic_conv": 34, "dynamic_gather": 14, "dynamic_iota": 2,
    "dynamic_pad": 4, "dynamic_reshape": 4, "dynamic_slice": 5, "dynamic_update_slice": 6,
    "exponential": 1, "exponential_minus_one": 1, "fft": 5, "floor": 1, "gather": 23,
    "get_dimension_size": 1, "get_tuple_element": 2, "if": 3, "imag": 2, "infeed": 3, "iota": 1,
    "is_finite": 1, "log": 1, "log_plus_one": 1, "logistic": 1, "map": 4, "maximum": 1,
    "minimum": 1, "multiply": 1, "negate": 1, "not": 1, "optimization_barrier": 1, "or": 1,
    "pad": 4, "popcnt": 1, "power": 1, "real": 2, "recv": 5, "reduce": 8, "reduce_precision": 3,
    "reduce_scatter": 9, "reduce_window": 16, "remainder": 1, "reshape": 3, "reverse": 3,
    "rng": 3, "rng_bit_generator": 2, "round_nearest_afz": 1, "round_nearest_even": 1, "rsqrt": 1,
    "scatter": 25, "select": 2, "select_and_scatter": 12, "send": 5, "shift_left": 1,
    "shift_right_arithmetic": 1, "shift_right_logical": 1, "sign": 1, "sine": 1, "slice": 5,
    "sort": 5, "sqrt": 1, "subtract": 1, "tan": 1, "tanh": 1, "transpose": 4,
    "triangular_solve": 4, "tuple": 1, "uniform_dequantize": 2, "uniform_quantize": 2, "while": 3,
    "xor": 1,
}

# Those that no text can break, or that another message reports.
WITHOUT_MESSAGE = {
    ("collective_broadcast", "C6"): "it is about the values of an operand",
    ("composite", "C2"): "a function that is not there is refused before operations are looked at",
    ("reduce_window", "C14"): "follows from (C1), (C2) and (C15)",
}

STRING = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
CALL = re.compile(r"\b(?:REQUIRE|return InvalidArgument|l\.Invalid)\(")


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


def unexpected_constraints(expected):
    """The labels of which no expectation names the operation, in either spelling."""
    told = {(name.removeprefix("stablehlo.").replace("-", "_"), label)
            for name, label in re.findall(r"([\w.-]+): \((C\d+)\)", expected)}
    missing = []
    for op, count in CONSTRAINTS.items():
        for label in (f"C{n}" for n in range(1, count + 1)):
            if ((op, label) in told) == ((op, label) in WITHOUT_MESSAGE):
                missing.append(f"{op} ({label}): " + ("excused, but told" if (op, label) in told
                                                      else "no test expects it"))
    return missing


def main():
    folder = ROOT / "tests/errors"
    expected = "\n".join(line[len("// EXPECT:"):]
                         for path in sorted(folder.glob("*.hlo")) + sorted(folder.rglob("*.mlir"))
                         for line in path.read_text().splitlines()
                         if line.startswith("// EXPECT:"))
    missing, count, excused = [], 0, set()
    sources = [p for folder in ("src/ir/ops", "src/ir/verify")
               for p in sorted((ROOT / folder).glob("*.cc"))]
    sources += sorted((ROOT / "src/frontend/stablehlo").glob("constraints*.cc"))
    for path in sources:
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
    missing += unexpected_constraints(expected)
    print("\n".join(missing) or
          f"{count} messages and {sum(CONSTRAINTS.values())} constraints, each expected")
    return 1 if missing or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
