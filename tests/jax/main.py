"""Calls every function of JAX that lowers for the CPU, and compares sinter's results with JAX's.

  main.py --sinter PATH [--device=cpu|eval] [--jobs=N] [--list] [--keep=FOLDER]
          [--cache=FOLDER] [--transform=gradient|vmap]
          [--form=stablehlo|bytecode|hlo|optimized|file|exported] [PATTERN ...]
  main.py --plugin LIBRARY [--jobs=N] [--list] [--cache=FOLDER] [--transform=gradient|vmap] [PATTERN ...]

The first runs programs by the tool, the second in this process, by the plugin as JAX calls it.

A pattern selects the cases whose names contain it. exceptions.txt names those that are known to
fail, each with its reason: a case there that passes is a failure too, so that the list stays true.
A public function of JAX for which there is no case is a failure.
"""
import argparse
import collections
import os
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
# JAX finds its platforms when it is first imported.
if "--plugin" in sys.argv[1:-1]:
    os.environ["JAX_PLATFORMS"] = "cpu,sinter"
    os.environ["SINTER_PJRT_LIBRARY"] = os.path.abspath(sys.argv[sys.argv.index("--plugin") + 1])
    sys.path.insert(0, os.path.join(HERE, "..", "..", "src", "python", "jax"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")
warnings.filterwarnings("ignore")

import harness
from cases import lax, models, nn, numpy, polymorphic, random

TABLES = (lax.T, nn.LA, numpy.T, numpy.L, numpy.F, nn.N, nn.I, nn.S, random.T, models.T,
          polymorphic.T)


def read_exceptions():
    out = {}
    with open(os.path.join(HERE, "exceptions.txt")) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.strip().partition(": ")
                out[name] = reason
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--sinter", help="the command-line tool")
    where.add_argument("--plugin", help="libsinter_pjrt.so")
    parser.add_argument("--device", default="cpu", choices=("cpu", "eval"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--transform", choices=harness.TRANSFORMS,
                        help="call that of the functions, where JAX has it")
    parser.add_argument("--form", default="stablehlo", choices=harness.FORMS,
                        help="programs: JAX's own text, XLA's of it, what XLA's CPU makes "
                             "of it, or JAX's export for the CPU or for several platforms")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the programs there")
    parser.add_argument("--cache", metavar="FOLDER", help="JAX's results are kept there")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    for folder in (options.keep, options.cache):
        if folder:
            os.makedirs(folder, exist_ok=True)

    cases = [c for t in TABLES for c in t.cases]
    twice = [n for n, k in collections.Counter(c.name for c in cases).items() if k > 1]
    failures = [f"{n}: two cases have this name" for n in twice]
    if options.transform:
        cases = list(harness.transformed(cases, options.transform))
    if options.patterns:
        cases = [c for c in cases if any(p in c.name for p in options.patterns)]
    elif not options.transform:
        failures += [f"{t.name}.{f}: no case calls it" for t in TABLES for f in t.missing()]
    if options.list:
        print(*(c.name for c in cases), sep="\n")
        return 0

    target = harness.Plugin() if options.plugin else harness.Tool(
        options.sinter, options.device, options.form, options.cache, options.keep)
    exceptions = read_exceptions()
    passed = excepted = 0
    for done, (case, wrong) in enumerate(
            harness.run_all(cases, target, options.jobs, options.cache), 1):
        if case.name in exceptions:
            excepted += 1
            if wrong is None:
                failures.append(f"{case.name}: passes, but stands in exceptions.txt")
        elif wrong is None:
            passed += 1
        else:
            failures.append(f"{case.name}: {wrong}")
            print(failures[-1], flush=True)
        if done % 500 == 0:
            print(f"{done} of {len(cases)} cases", flush=True)
    for f in failures:
        if "no case calls it" in f or "two cases" in f or "exceptions.txt" in f:
            print(f)
    print(f"{len(cases)} cases on {'the plugin' if options.plugin else options.device}: {passed} agree with JAX, {excepted} exceptions, "
          f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
