"""Text both ways: JAX and XLA read what `sinter opt` prints, and sinter runs the HLO text of XLA.

  text.py --sinter PATH [FOLDER ...]

The folders hold StableHLO programs (*.mlir). JAX parses and verifies each as sinter prints it in
StableHLO, XLA's parser reads the HLO text. The other way, programs of every kind are printed by XLA
before and after its optimisations; sinter must run both to what XLA computes. And XLA must run what
sinter prints of what JAX lowers, in either form, to what it computes itself.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import warnings

# Several devices, so that there are collectives; before JAX is imported.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
warnings.filterwarnings("ignore")

import jax
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax.extend import backend
from jaxlib import _hlo
from jaxlib.mlir import ir

import harness
from cases import text as programs


def one_line(text):
    return " ".join(str(text).split())[:300]


def opt(sinter, path, form):
    return subprocess.run([sinter, "opt", path, f"--emit={form}"], capture_output=True, text=True)


def refusal(form, text, context):
    """What JAX or XLA says against the text, or None."""
    try:
        if form == "hlo":
            _hlo.hlo_module_from_text(text)
        else:
            with context, ir.Location.unknown():
                ir.Module.parse(text).operation.verify()
    except Exception as e:  # any: each parser raises its own
        return one_line(e)
    return None


def check_printed(sinter, folder, jobs):
    """Programs of the folder that were read, and failures."""
    context = mlir.make_ir_context()
    paths = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".mlir"))
    failures = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for form in ("stablehlo", "hlo"):
            for path, done in zip(paths, pool.map(lambda p: opt(sinter, p, form), paths)):
                name = f"{os.path.basename(path)} as {form}"
                if done.returncode:
                    failures.append(f"{name}: sinter: {one_line(done.stderr)}")
                elif said := refusal(form, done.stdout, context):
                    failures.append(f"{name}: {said}")
    return 2 * len(paths), failures


def run_by_xla(module, arguments):
    """The results of a StableHLO module, text or bytecode."""
    client = backend.get_backend()
    with mlir.make_ir_context():
        devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
        executable = client.compile_and_load(ir.Module.parse(module), devices,
                                             xla_client.CompileOptions())
    kept = [jax.device_put(a) for a in arguments]
    results = executable.execute_sharded(kept).disassemble_into_single_device_arrays()
    return [np.asarray(r[0]) for r in results]


def worst(program, expected, got):
    """What is wrong with the results, or None."""
    wrong = None
    case = harness.Case(program.name, None, (), sums=True)
    for i, (e, g) in enumerate(zip(expected, got, strict=True)):
        g = g.view(e.dtype) if g.dtype != e.dtype else g
        d = (float("inf"), ()) if g.shape != e.shape else harness.distance(e, g, case)
        if d is not None and d[0] > program.ulps:
            wrong = f"result {i}: {d[0]:.3g} units of the last place at {d[1]}"
    return wrong


def check_text_for_xla(program, sinter):
    """The same of what XLA runs of what sinter prints."""
    if program.text_only:
        return
    lowered = jax.jit(program.function, keep_unused=True).lower(*program.arguments)
    expected = [np.asarray(x) for x in jax.tree.leaves(lowered.compile()(*program.arguments))]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        with open(path, "w") as f:
            f.write(lowered.as_text())
        for form in ("stablehlo", "hlo"):
            printed = opt(sinter, path, form)
            if printed.returncode:
                yield f"XLA of {form}", f"sinter: {one_line(printed.stderr)}"
                continue
            try:
                module = printed.stdout
                if form == "hlo":
                    module = _hlo.hlo_module_from_text(module).as_serialized_hlo_module_proto()
                    module = xla_client._xla.mlir.hlo_to_stablehlo(module)
                got = run_by_xla(module, program.arguments)
            except Exception as e:  # any: parser and compiler raise their own
                yield f"XLA of {form}", one_line(e)
                continue
            yield f"XLA of {form}", worst(program, expected, got)


def check_text_of_xla(program, sinter):
    """Pairs of a form's name and what is wrong with it, or None."""
    lowered = jax.jit(program.function).lower(*program.arguments)
    compiled = lowered.compile()
    expected = [np.asarray(x) for x in jax.tree.leaves(compiled(*program.arguments))]
    every_constant = _hlo.HloPrintOptions()
    every_constant.print_large_constants = True
    forms = {"lowered": lowered.compiler_ir("hlo").get_hlo_module().to_string(every_constant),
             "optimized": compiled.runtime_executable().hlo_modules()[0].to_string(every_constant)}
    for form, text in forms.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.hlo")
            with open(path, "w") as f:
                f.write(text)
            printed = opt(sinter, path, "hlo")
            if printed.returncode:
                yield form, f"sinter: {one_line(printed.stderr)}"
                continue
            if said := refusal("hlo", printed.stdout, None):
                yield form, f"XLA does not read it again: {said}"
                continue
            # What XLA's CPU has as calls of its own kernels is read and printed only, too.
            if program.text_only or (form == "optimized" and program.calls_kernels):
                yield form, None
                continue
            command = [sinter, "run", path, "--device=eval", f"--output={folder}"]
            for i, a in enumerate(program.arguments):
                np.save(f"{folder}/in{i}.npy", harness.to_npy(np.asarray(a)))
                command.append(f"--input={folder}/in{i}.npy")
            for device in ("eval", "cpu"):
                command[3] = f"--device={device}"
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    yield f"{form} on {device}", f"sinter: {one_line(done.stderr)}"
                    continue
                got = [np.load(f"{folder}/{i}.npy") for i in range(len(expected))]
                yield f"{form} on {device}", worst(program, expected, got)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinter", required=True, help="the command-line tool")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    failures, checks = [], 0
    for folder in options.folders:
        count, wrong = check_printed(options.sinter, folder, options.jobs)
        checks += count
        failures += wrong
    for program in programs.all_programs():
        for check in (check_text_of_xla, check_text_for_xla):
            for form, wrong in check(program, options.sinter):
                checks += 1
                if wrong:
                    failures.append(f"{program.name} {form}: {wrong}")
    for f in failures:
        print(f)
    print(f"{checks} texts and runs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
