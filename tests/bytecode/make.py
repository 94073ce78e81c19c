#!/usr/bin/env python3
"""Makes the bytecode of the programs in `programs` anew, with JAX's bindings of MLIR (any Python that has jaxlib):

    JAX_PLATFORMS=cpu python3 tests/bytecode/make.py [--all FOLDER FILE_OR_FOLDER ...]

NAME.mlir becomes NAME.plain.mlirbc (MLIR's own bytecode) and NAME.v1.2.0.mlirbc (portable artifacts of that version), of
the newest version and of older ones; the text is written again as MLIR prints it. With --all the programs of the files and
folders named, files named .mlir and raw strings of C++, go to that folder in both forms, for SINTER_BYTECODE_TESTDATA.
"""

import argparse
import io
import pathlib
import re
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

VERSIONS = ["0.9.0", "1.0.0"]


def texts_of(path):
    text = path.read_text(errors="replace")
    if path.suffix == ".mlir":
        parts = re.split(r"\n// -----[^\n]*", text)
    else:
        parts = [m.group(2) for m in re.finditer(r'R"(\w*)\((.*?)\)\1"', text, re.S)]
    for index, part in enumerate(parts):
        if "func.func" in part or "stablehlo" in part:
            name = path.stem if len(parts) == 1 else f"{path.stem}_{index}"
            yield re.sub(r"\W", "_", name), part


def sources(paths):
    for path in paths:
        path = pathlib.Path(path)
        files = [path] if path.is_file() else sorted(p for k in ("*.cc", "*.h", "*.mlir") for p in path.rglob(k))
        for file in files:
            yield from texts_of(file)


def parse(text):
    try:
        return ir.Module.parse(text)
    except ir.MLIRError:
        return None


def text_of(module):
    """The generic form, which has no names of values; Shardy's operations are read in their own."""
    text = module.operation.get_asm(print_generic_op_form=True)
    return text if "sdy.mesh" not in text else module.operation.get_asm()


def bytecode(module):
    out = io.BytesIO()
    module.operation.write_bytecode(out)
    return out.getvalue()


def artifact(module, version, newest):
    """None: it has what that version did not have. Other dialects can stand beside VHLO in the newest."""
    for others in [False, True] if version == newest else [False]:
        try:
            return stablehlo.serialize_portable_artifact(module, version, others)
        except (ValueError, RuntimeError, ir.MLIRError):
            continue
    return None


def write(folder, name, module, versions):
    (folder / f"{name}.mlir").write_text(text_of(module).rstrip() + "\n")
    (folder / f"{name}.plain.mlirbc").write_bytes(bytecode(module))
    for version in versions:
        made = artifact(module, version, versions[-1])
        if made is not None:
            (folder / f"{name}.v{version}.mlirbc").write_bytes(made)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--all", type=pathlib.Path)
    arguments.add_argument("sources", nargs="*")
    options = arguments.parse_args()
    folder = options.all or pathlib.Path(__file__).parent / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    versions = [*VERSIONS, stablehlo.get_current_version()]
    programs = {}
    with mlir.make_ir_context():
        for name, text in sources(options.sources or [folder]):
            module = parse(text)
            if module is not None:
                programs.setdefault(name, module)
        for name, module in programs.items():
            write(folder, name, module, versions)
    print(f"{len(programs)} programs, {sum(f.stat().st_size for f in folder.iterdir())} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
