"""Compile times through JAX: the plugin against XLA:CPU, in turns on one machine; a table and geometric means.

    python compile_times.py --library build/release/lib/libsinter_pjrt.so [--programs FILE.py] [--rounds 3]
                            [--json OUT] [NAME ...]

Each platform has a process of its own, which has compiled something before. A time is that from `lower()` on: tracing
and lowering, which are JAX's and the same on both, then `compile()`. Nothing is cached: JAX's caches are cleared, and
the plugin's client keeps no executables. The ratio is XLA:CPU's time over the plugin's; of the rounds the least time of
each counts.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PLATFORMS = ("cpu", "sinter")


def child(programs):
    """Answers each line, a name, by one with the seconds of lower() and of compile()."""
    import jax
    import lower

    by_name = {p.name: p for p in lower.load(programs)}
    jax.jit(lambda x: (x * 2).sum()).lower(jax.ShapeDtypeStruct((8,), "float32")).compile()
    print("ready", flush=True)
    for line in sys.stdin:
        jax.clear_caches()
        start = time.perf_counter()
        lowered = lower.lower(by_name[line.strip()])
        between = time.perf_counter()
        lowered.compile()
        print(json.dumps([between - start, time.perf_counter() - between]), flush=True)


class Platform:
    def __init__(self, name, options):
        environment = dict(os.environ, JAX_PLATFORMS=name, TF_CPP_MIN_LOG_LEVEL="3")
        if name == "sinter":
            environment.update(PYTHONPATH=str(HERE.parent / "src" / "python" / "jax"),
                               SINTER_PJRT_LIBRARY=os.path.abspath(options.library),
                               SINTER_PJRT_OPTIONS="cache_entries=0")
        self.name = name
        self.process = subprocess.Popen([sys.executable, "-W", "ignore", __file__, "--child", str(options.programs)],
                                        env=environment, cwd=HERE, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the process of {self.name} has ended")
        return line

    def seconds(self, program):
        self.process.stdin.write(program + "\n")
        self.process.stdin.flush()
        return json.loads(self.answer())


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2])
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--library", required=True, help="libsinter_pjrt.so")
    a.add_argument("--programs", type=pathlib.Path, default=HERE / "programs.py")
    a.add_argument("--rounds", type=int, default=3)
    a.add_argument("--json", type=pathlib.Path)
    a.add_argument("names", nargs="*")
    a = a.parse_args()
    a.programs = a.programs.resolve()
    os.environ["JAX_PLATFORMS"] = "cpu"
    import lower
    names = a.names or [p.name for p in lower.load(a.programs)]
    platforms = [Platform(name, a) for name in PLATFORMS]
    rows, ratios = [], {"all": [], "compile": []}
    print(f"{'program':28} {'lower ms':>9} {'XLA ms':>9} {'sinter ms':>9} {'ratio':>6} {'compile() alone':>15}")
    for name in names:
        least = {}
        for _ in range(a.rounds):
            for p in platforms:
                lowering, compiling = p.seconds(name)
                least.setdefault(p.name, []).append((lowering, compiling))
        lowering = min(t for times in least.values() for t, _ in times)
        cpu, sinter = (min(t for _, t in least[p]) for p in PLATFORMS)
        ratios["all"].append((lowering + cpu) / (lowering + sinter))
        ratios["compile"].append(cpu / sinter)
        rows.append(dict(name=name, lower_ms=lowering * 1e3, xla_ms=cpu * 1e3, sinter_ms=sinter * 1e3))
        print(f"{name:28} {lowering * 1e3:9.1f} {cpu * 1e3:9.1f} {sinter * 1e3:9.1f} {ratios['all'][-1]:6.2f} "
              f"{ratios['compile'][-1]:15.2f}", flush=True)
    means = {key: statistics.geometric_mean(values) for key, values in ratios.items()}
    print(f"geometric mean of {len(names)}: from lower() on {means['all']:.2f}, compile() alone {means['compile']:.2f}")
    if a.json:
        a.json.write_text(json.dumps(dict(rows=rows, means=means), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
