"""sinter against JAX on one CUDA device, on the same StableHLO text; writes a table.

    python compare_cuda.py --sinter build/release/bin/sinter [--seconds 1] [--results FILE.md]
                           [--alone FILE.hlo ...] [-- NAME ...]

Outputs are compared first; a program that differs has no time. Then `sinter bench --device=cuda`: `device_ms` is by
CUDA events around many calls that are submitted together. JAX's streams take no events from outside: its time is that
of as many calls submitted together and waited for once, which differs from events by one wait, shared by all calls.
Compile times are cold, in a warm process: JAX's from the lowered text, sinter's `compile_ms`.

Without JAX on a CUDA device the comparison is skipped, which the table says, and the HLO files of --alone are timed
in sinter only. Ends with status 1 where a program fails or differs.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent


def bench(sinter, file, seconds, inputs=None):
    """The JSON of `sinter bench`, or the last line of its error."""
    command = [sinter, "bench", str(file), "--device=cuda", f"--seconds={seconds}", "--json"]
    if inputs:
        command.append(f"--inputs={inputs}")
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if r.returncode:
        return (r.stderr.strip().splitlines() or [f"exit status {r.returncode}"])[-1]
    return json.loads(r.stdout.strip().splitlines()[-1])


def find_jax():
    """(module jax on a CUDA device, None), or (None, the reason why there is none)."""
    os.environ.setdefault("JAX_PLATFORMS", "cuda")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
        jax.devices()
        return jax, None
    except Exception as e:  # JAX raises what its plugins raise
        return None, str(e).strip().splitlines()[0][:120]


def jax_time(jax, exe, args, donate, seconds):
    """Milliseconds of one of many calls that are submitted together."""
    def calls(n):
        t0 = time.perf_counter()
        for _ in range(n):
            r = exe(*args)
            if donate:
                args[donate[0]] = r[1]
        jax.block_until_ready(r)
        return (time.perf_counter() - t0) * 1e3
    calls(3)
    n = max(3, min(1000, int(seconds * 1e3 / max(calls(3) / 3, 1e-3))))
    return statistics.median(calls(n) / n for _ in range(3))


def compared(a, jax):
    """Rows of the programs in benchmarks/programs.py: name, the four times or why there are none."""
    import numpy as np
    from compare import check
    from lower import load, lower
    from peers import make
    for p in load(HERE / "programs.py"):
        if a.names and p.name not in a.names:
            continue
        with tempfile.TemporaryDirectory() as d:
            d = pathlib.Path(d)
            low = lower(p)
            (d / "p.mlir").write_text(low.as_text())
            (d / "p.json").write_text(json.dumps(dict(name=p.name, donate=p.donate, inputs=[
                dict(shape=s, type=t, distribution=v) for s, t, v in p.inputs])))
            rng = np.random.default_rng(0)
            host = [make(s, rng) for s in p.inputs]
            jax.jit(lambda x: x * 2 + len(p.name))(1.).block_until_ready()
            t0 = time.perf_counter()
            exe = low.compile()
            jax_compile = (time.perf_counter() - t0) * 1e3
            args = [jax.device_put(v) for v in host]
            want = [np.asarray(v) for v in jax.tree.leaves(exe(*args))]
            why = check(a, d, host, want)
            if why:
                yield p.name, why
                continue
            got = bench(a.sinter, d / "p.mlir", a.seconds, d / "p.json")
            if isinstance(got, str):
                yield p.name, got
                continue
            args = [jax.device_put(v) for v in host]
            yield p.name, dict(got, jax_ms=jax_time(jax, exe, args, p.donate, a.seconds), jax_compile_ms=jax_compile)


def row(name, got):
    if isinstance(got, str):
        return f"| {name} | failed: {got.replace('|', '/')} | | | | | |"
    cell = lambda v: f"{v:.4g}" if v is not None else ""
    jax_ms, ms = got.get("jax_ms"), got.get("device_ms")
    jax_compile = got.get("jax_compile_ms")
    return (f"| {name} | {cell(ms)} | {cell(jax_ms)} | {cell(jax_ms / ms if jax_ms and ms else None)} "
            f"| {cell(got['compile_ms'])} | {cell(jax_compile)} "
            f"| {cell(jax_compile / got['compile_ms'] if jax_compile else None)} |")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("names", nargs="*")
    a.add_argument("--sinter", required=True)
    a.add_argument("--seconds", type=float, default=1.)
    a.add_argument("--results", type=pathlib.Path, default=HERE / "RESULTS-cuda.md")
    a.add_argument("--alone", nargs="*", default=[], type=pathlib.Path)
    a = a.parse_args()
    a.device = "cuda"
    jax, why = find_jax()
    if jax is None:
        print(f"comparison with JAX: skipped: {why}")
        rows = ((f.stem, bench(a.sinter, f, a.seconds)) for f in a.alone)
        peer = f"JAX: skipped ({why})."
    else:
        rows = compared(a, jax)
        peer = f"JAX {jax.__version__}."
    lines, device, failed = [], None, False
    for name, got in rows:
        lines.append(row(name, got))
        print(lines[-1], flush=True)
        failed |= isinstance(got, str)
        if not isinstance(got, str):
            device = device or got.get("device_name")
    a.results.write_text(
        "# sinter on CUDA, measured\n\n"
        f"{datetime.date.today().isoformat()}, {device or 'no device'}, host {platform.machine()}. {peer}\n"
        "Milliseconds; ratios are JAX over sinter. `compare_cuda.py` says how each is taken.\n\n"
        "| program | sinter | JAX | run | sinter compiles | JAX compiles | compile |\n"
        "|---|---|---|---|---|---|---|\n" + "".join(line + "\n" for line in lines))
    print(f"written: {a.results}")
    sys.exit(1 if failed or not lines else 0)


if __name__ == "__main__":
    main()
