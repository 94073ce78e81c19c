"""A survey of the programs in JAX's own tests: what of them sinter refuses or computes otherwise.

  survey.py record --programs FOLDER --tests FOLDER [--seconds=N] [--seed=N] NAME ...
  survey.py judge --programs FOLDER --sinter PATH [--again]

`record` runs the files NAME_test.py of a checkout of JAX's folder `tests` (pytest, absl-py and
hypothesis installed), in an order drawn by the seed, each file for so many seconds at most. Of each
program that JAX compiles for one device it keeps the text, the first call's arguments and JAX's
results. `judge` runs on sinter what has no verdict yet, or with --again all that did not agree.

It is no test: iterations stop elsewhere, eigenvectors of equal eigenvalues are free, and JAX's CPU
contracts to multiply-adds and flushes denormals. A person reads the list, the worst first.
"""
import argparse
import collections
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

LIMIT = 1 << 21  # bytes of arguments, and of results: others are left out


def bytes_of(a):
    """As a .npy file can hold it."""
    known = a.dtype.kind != "V" and a.dtype.name in np.sctypeDict
    return a if known else a.view(f"u{a.dtype.itemsize}")


class Recorder:
    """A plugin of pytest that stands between JAX and its compiler."""

    def __init__(self, folder, seed):
        import jax
        from jax._src import compiler
        from jax._src.interpreters import pxla
        self.jax, self.folder, self.seed, self.test = jax, folder, seed, ""
        self.texts = {}  # by the executable's id, with the executable, which keeps the id its own
        compile_and_load, call = compiler.backend_compile_and_load, pxla.ExecuteReplicated.__call__

        def recording_compile(backend, module, devices, options, callbacks):
            done = compile_and_load(backend, module, devices, options, callbacks)
            if backend.platform == "cpu" and len(devices) == 1:
                text = module.operation.get_asm(large_elements_limit=None)
                self.texts[id(done)] = (text, done)
            return done

        def recording_call(executable, *arguments):
            text, _ = self.texts.pop(id(executable.xla_executable), (None, None))
            kept = None
            if text is not None and executable.mut is None and not executable.ordered_effects:
                kept = self.arrays(x for i, x in enumerate(arguments)
                                   if i in executable.kept_var_idx)
            results = call(executable, *arguments)
            if kept is not None:
                self.keep(text, kept, self.arrays(results))
            return results

        compiler.backend_compile_and_load = recording_compile
        pxla.ExecuteReplicated.__call__ = recording_call

    def arrays(self, values):
        """None where one is no array of numbers, or all are too large."""
        out = []
        for x in values:
            try:
                key = isinstance(x, self.jax.Array) and self.jax.dtypes.issubdtype(
                    x.dtype, self.jax.dtypes.extended)
                a = np.array(x._base_array if key else x)
                if not isinstance(x, self.jax.Array):
                    a = a.astype(self.jax.dtypes.canonicalize_dtype(a.dtype))
            except Exception:  # any: tests call programs with what is not valid too
                return None
            # The type of gradients by integers has no bytes; a program has predicates there.
            a = np.zeros(a.shape, bool) if a.dtype == self.jax.dtypes.float0 else a
            if a.dtype.kind == "O":
                return None
            out.append(a)
        return out if sum(a.nbytes for a in out) <= LIMIT else None

    def keep(self, text, arguments, results):
        digest = hashlib.sha256(text.encode()).hexdigest()[:20]
        done, path = os.path.join(self.folder, digest), os.path.join(self.folder, "unfinished")
        if results is None or os.path.exists(done):
            return
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        for i, a in enumerate(arguments):
            np.save(f"{path}/in{i}.npy", bytes_of(a))
        for i, a in enumerate(results):
            np.save(f"{path}/out{i}.{a.dtype.name}.npy", bytes_of(a))
        with open(f"{path}/test", "w") as f:
            f.write(self.test)
        with open(f"{path}/program.mlir", "w") as f:
            f.write(text)
        os.rename(path, done)

    def pytest_runtest_setup(self, item):
        self.test = item.nodeid

    def pytest_collection_modifyitems(self, items):
        np.random.default_rng(self.seed).shuffle(items)


def record(options):
    import pytest
    os.makedirs(options.programs, exist_ok=True)
    if options.names[1:]:  # each in a process that can be ended
        for name in options.names:
            command = [sys.executable, __file__, "record", f"--programs={options.programs}",
                       f"--tests={options.tests}", f"--seed={options.seed}", name]
            try:
                subprocess.run(command, timeout=options.seconds, stdout=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                pass
            print(f"{name}: {len(os.listdir(options.programs))} programs so far", flush=True)
        return
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("JAX_NUM_GENERATED_CASES", "2")
    programs = os.path.abspath(options.programs)
    os.chdir(options.tests)
    pytest.main(["-q", "-p", "no:cacheprovider", "--tb=no", f"{options.names[0]}_test.py"],
                plugins=[Recorder(programs, options.seed)])


def difference(expected, got):
    """The largest in units of the last place of the largest element; infinite between integers."""
    if expected.dtype.kind in "iub" or expected.dtype.name.startswith(("int", "uint")):
        return float("inf") if (expected != got).any() else 0.0
    eps = float(ml_dtypes.finfo(expected.dtype).eps)
    number = np.complex128 if expected.dtype.kind == "c" else np.float64
    e, g = expected.astype(number), got.astype(number)
    with np.errstate(all="ignore"):
        same = (e == g) | (np.isnan(e) & np.isnan(g))
        if number is np.complex128:
            same |= ~np.isfinite(e) & ~np.isfinite(g)
        size = np.max(np.abs(e[np.isfinite(e)]), initial=0)
        worst = np.where(same, 0, np.abs(e - g)) / (eps * (size or 1))
    return float(np.nan_to_num(worst, nan=np.inf).max(initial=0))


def judge_one(path, sinter):
    inputs = sum(f.startswith("in") for f in os.listdir(path))
    with tempfile.TemporaryDirectory() as folder:
        command = [sinter, "run", f"{path}/program.mlir", f"--output={folder}", "--threads=1"]
        command += [f"--input={path}/in{i}.npy" for i in range(inputs)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return "slow: no result after 20 s"
        if done.returncode:
            line = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return f"refused: exit {done.returncode}: {re.sub(r'^sinter: [^ ]*: ', '', line)[:300]}"
        worst = 0.0
        for file in os.listdir(path):
            if file.startswith("out"):
                index, type, _ = file[3:].split(".")
                expected, got = np.load(f"{path}/{file}"), np.load(f"{folder}/{index}.npy")
                dtype = np.dtype(getattr(ml_dtypes, type, None) or type)
                if got.shape != expected.shape:
                    return f"shape: {got.shape}, JAX has {expected.shape}"
                worst = max(worst, difference(expected.view(dtype), got.view(dtype)))
    verdict = "agrees" if worst <= 64 else "near" if worst <= 4096 else "differs"
    return f"{verdict}: {worst:.3g} units of the last place"


def judge(options):
    count = collections.Counter()
    rest = []
    for digest in sorted(set(os.listdir(options.programs)) - {"unfinished"}):
        path = os.path.join(options.programs, digest)
        verdict = None
        if os.path.exists(f"{path}/verdict"):
            with open(f"{path}/verdict") as f:
                verdict = f.read()
        if verdict is None or options.again and not verdict.startswith("agrees"):
            verdict = judge_one(path, options.sinter)
            with open(f"{path}/verdict", "w") as f:
                f.write(verdict)
        kind = verdict.partition(":")[0]
        count[kind] += 1
        if kind != "agrees":
            with open(f"{path}/test") as f:
                rest.append(f"{verdict}  {digest} of {f.read()}")
    print(*sorted(rest, reverse=True), sep="\n")
    print(f"{sum(count.values())} programs:", ", ".join(f"{n} {k}" for k, n in count.most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("record")
    verb.add_argument("--tests", required=True, help="JAX's folder tests")
    verb.add_argument("--seconds", type=float, default=120)
    verb.add_argument("--seed", type=int, default=0)
    verb.add_argument("names", nargs="+")
    verb.set_defaults(run=record)
    verb2 = verbs.add_parser("judge")
    verb2.add_argument("--sinter", required=True)
    verb2.add_argument("--again", action="store_true")
    verb2.set_defaults(run=judge)
    for v in (verb, verb2):
        v.add_argument("--programs", required=True)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
