"""Runs JAX's own tests through the plugin and on XLA:CPU, and compares.

  upstream.py --library PATH [--source FOLDER] [--cases=N] [--limit=SECONDS] [--results=FOLDER]
              [--devices=N] [--only=cpu|sinter] [--quick] [FILE ...]

FOLDER, or the environment variable SINTER_JAX_SOURCE, is a checkout of JAX of about the installed version. A FILE
is a name such as lax_test; without one all of FILES are run, or with several devices those of
FILES_OF_SEVERAL_DEVICES. What XLA:CPU passes counts: the plugin has to pass it, but for the tests that
upstream_exceptions.txt, or of several devices upstream_exceptions_devices.txt, names, each with its reason. A test there that passes is a failure, so that the list stays
true. Tests that fail or are skipped, as many are on platforms that JAX does not know, are run once more as if the
device under test were a CPU: what counts is whether they pass then. Both platforms have N devices, one if not told:
what needs more is skipped.

Results are kept in the folder of --results, one file a test file; those of XLA:CPU are used again as long as
the test file, JAX's version and the options are the same. With --quick the plugin runs first, and XLA:CPU only the tests
that did not pass there: the same verdict in about half the time, without the number of tests that XLA:CPU passes.
"""
import argparse
import ast
import collections
import fnmatch
import hashlib
import importlib
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "..", "src", "python", "jax")

FILES = """
    lax_test lax_control_flow_test lax_numpy_test lax_numpy_einsum_test lax_numpy_indexing_test
    lax_numpy_operators_test lax_numpy_reducers_test lax_numpy_setops_test lax_numpy_ufuncs_test
    lax_numpy_vectorize_test lax_autodiff_test lax_vmap_test lax_vmap_op_test nn_test random_test random_lax_test
    linalg_test eigh_test svd_test qdwh_test custom_linear_solve_test custom_root_test cholesky_update_test
    fft_test scipy_fft_test lax_scipy_test lax_scipy_sparse_test lax_scipy_special_functions_test
    lax_scipy_spectral_dac_test scipy_interpolate_test scipy_ndimage_test scipy_optimize_test scipy_signal_test
    scipy_spatial_test scipy_stats_test api_test custom_api_test pjit_test export_test ffi_test
    python_callback_test debugging_primitives_test debugger_test buffer_callback_test
    array_interoperability_test array_test dtypes_test jax_jit_test sparse_test sparse_bcoo_bcsr_test
    sparsify_test ode_test image_test mutable_array_test checkify_test
    compilation_cache_test aot_test memories_test layout_test unary_ops_accuracy_test
""".split()
FILES_OF_SEVERAL_DEVICES = """
    multi_device_test array_test shard_map_test pmap_test pjit_test shard_alike_test linalg_sharding_test
    mutable_array_test lax_control_flow_test debugging_primitives_test debugger_test python_callback_test
    jaxpr_effects_test checkify_test error_check_test debug_nans_test ffi_test compilation_cache_test export_test
    layout_test memories_test custom_partitioning_test custom_partitioning_sharding_rule_test ragged_collective_test
    state_test roofline_test xla_bridge_test transfer_guard_test
""".split()


class Recorder:
    """A plugin of pytest that writes a line a test, when it starts and when it has ended."""

    def __init__(self, path, skipped, selected):
        self.log = open(path, "a", buffering=1)
        self.skipped, self.selected = skipped, selected
        self.reports = []

    def pytest_collection_modifyitems(self, items):
        items[:] = [i for i in items if i.name_of_test not in self.skipped
                    and (self.selected is None or i.name_of_test in self.selected)]

    def pytest_itemcollected(self, item):
        item.name_of_test = item.nodeid.partition("::")[2]

    def pytest_runtest_logstart(self, nodeid, location):
        del location
        self.reports = []
        self.write(start=nodeid.partition("::")[2])

    def pytest_runtest_logreport(self, report):
        self.reports.append(report)

    def pytest_runtest_logfinish(self, nodeid, location):
        del location
        outcomes = {r.outcome for r in self.reports}
        outcome = next((o for o in ("failed", "skipped") if o in outcomes), "passed")
        message = ""
        for r in self.reports:
            if r.outcome == outcome != "passed" and not message:
                crash = getattr(r.longrepr, "reprcrash", None)
                where = r.longrepr[-1] if isinstance(r.longrepr, tuple) else r.longrepr
                message = (crash.message if crash else str(where))[:1500]
        self.write(end=nodeid.partition("::")[2], outcome=outcome, message=message,
                   seconds=round(sum(r.duration for r in self.reports), 2))

    def write(self, **line):
        self.log.write(json.dumps(line) + "\n")


class Missing:
    """Stands for a name that the installed JAX has not: what uses it fails."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(f"{self.name} is not in this version of JAX")


def supply_missing_names(path):
    """The checkout may be some weeks from the installed version."""
    with open(path) as f:
        tree = ast.parse(f.read())
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jax"):
            try:
                module = importlib.import_module(node.module)
            except ImportError:
                continue
            for alias in node.names:
                try:
                    importlib.import_module(f"{node.module}.{alias.name}")
                except ImportError:
                    if not hasattr(module, alias.name):
                        setattr(module, alias.name, Missing(f"{node.module}.{alias.name}"))


def child(path, log, control):
    """Runs the tests of one file in this process."""
    import jax
    import pytest
    from jax._src import test_util

    with open(control) as f:
        told = json.load(f)
    test_util.request_cpu_devices = lambda count: None
    if told["under_test"]:
        jax.config.update("jax_test_dut", told["under_test"])
    supply_missing_names(path)
    # The tests are JAX's, its settings of pytest are not: they make errors of warnings of other versions.
    arguments = [path, "-q", "-c", os.devnull, "--rootdir", os.path.dirname(path), "-p", "no:cacheprovider",
                 "--tb=short", "--no-header", "-W", "ignore", "--import-mode=importlib"]
    recorder = Recorder(log, set(told["skipped"]), None if told["selected"] is None else set(told["selected"]))
    return pytest.main(arguments, plugins=[recorder])


def read_log(path):
    """Results by the names of tests, and the test that has begun and not ended."""
    results, running = {}, None
    with open(path) as f:
        for text in f:
            if not text.endswith("\n"):
                break
            line = json.loads(text)
            if "start" in line:
                running = line["start"]
            else:
                results[line.pop("end")] = line
                running = None
    return results, running


def environment(platform, options):
    out = dict(os.environ, JAX_PLATFORMS=platform, JAX_NUM_GENERATED_CASES=str(options.cases),
               JAX_SKIP_SLOW_TESTS="1", TF_CPP_MIN_LOG_LEVEL="3", PYTHONPATH=PACKAGE,
               SINTER_PJRT_LIBRARY=options.library, PYTHONFAULTHANDLER="1",
               JAX_NUM_CPU_DEVICES=str(options.devices))
    if platform == "cpu":
        out.pop("PYTHONPATH")
    return out


def run_file(name, platform, options, selected=None, under_test=None):
    """The results of a file's tests. A test that crashes or takes too long ends its process; another goes on."""
    path = os.path.join(options.source, "tests", name + ".py")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        log, control = os.path.join(folder, "log"), os.path.join(folder, "control")
        open(log, "w").close()
        for _ in range(50):
            with open(control, "w") as f:
                json.dump({"skipped": list(results), "selected": selected, "under_test": under_test}, f)
            with open(os.path.join(folder, "output"), "w") as output:
                process = subprocess.Popen([sys.executable, __file__, "--child", path, log, control],
                                           env=environment(platform, options), cwd=folder,
                                           stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
                reason = watch(process, log, options.limit)
            done, running = read_log(log)
            results.update(done)
            if process.returncode in (0, 1, 5) and reason is None:
                return results
            with open(os.path.join(folder, "output"), errors="replace") as output:
                tail = output.read()[-1500:]
            if running is None:
                if reason is None and process.returncode < 0:
                    running = next(reversed(done), None) or "(the file)"
                    results["(end of the process)"] = {
                        "outcome": "failed", "message": f"ended by signal {-process.returncode}: {tail}", "seconds": 0}
                    return results
                results["(the file)"] = {"outcome": "failed", "message": reason or tail, "seconds": 0}
                return results
            results[running] = {"outcome": "failed", "seconds": 0,
                                "message": reason or f"ended with {process.returncode}: {tail}"}
            with open(log, "a") as f:
                f.write("\n".join(["", json.dumps({"end": running, **results[running]}), ""]).lstrip("\n"))
    return results


def watch(process, log, limit):
    """Waits for the end of the process. The reason if it was ended here."""
    size, since = -1, time.monotonic()
    while True:
        try:
            process.wait(timeout=0.5)
            return None
        except subprocess.TimeoutExpired:
            pass
        now = os.path.getsize(log)
        if now != size:
            size, since = now, time.monotonic()
        # Loading a file takes its time too.
        elif time.monotonic() - since > limit:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"no end after {limit} s"


def version_of(name, options):
    with open(os.path.join(options.source, "tests", name + ".py"), "rb") as f:
        digest = hashlib.sha256(f.read())
    digest.update(f"{importlib.metadata.version('jax')} {options.cases} {options.limit}".encode())
    if options.devices > 1:
        digest.update(f" {options.devices}".encode())
    return digest.hexdigest()


def path_of(name, platform, options):
    several = f"-{options.devices}" if options.devices > 1 else ""
    return os.path.join(options.results, platform + several, name + ".json")


def keep(name, platform, options, results):
    path = path_of(name, platform, options)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as f:
        json.dump({"version": version_of(name, options), "results": results}, f, indent=1)
    os.replace(path + ".new", path)
    return results


def kept_of_cpu(name, options):
    """What XLA:CPU made of the file in an earlier run, or nothing."""
    path = path_of(name, "cpu", options)
    if not os.path.exists(path):
        return None
    with open(path) as f:
        kept = json.load(f)
    return kept["results"] if kept["version"] == version_of(name, options) else None


def results_of(name, platform, options):
    if platform == "cpu":
        return kept_of_cpu(name, options) or keep(name, platform, options, run_file(name, platform, options))
    return both_results(name, options)[1]


def both_results(name, options):
    """The results of XLA:CPU and of the plugin. If quick, the former are of the tests that the plugin does not pass."""
    expected = kept_of_cpu(name, options)
    if expected is None and not options.quick:
        expected = results_of(name, "cpu", options)
    results = run_file(name, "sinter", options)
    again = not_passed(results) if expected is None else [t for t in passes(expected) if not is_passed(results, t)]
    if again:
        results.update(run_file(name, "sinter", options, selected=again, under_test="cpu"))
    if expected is None:
        # Of a file that could not be read, or whose process came to no end, nothing is known: XLA:CPU runs it whole.
        left = not_passed(results)
        whole = any(t.startswith("(") for t in left)
        expected = run_file(name, "cpu", options, selected=None if whole else left) if left else {}
        for test in passes(results):
            expected.setdefault(test, results[test])
    return expected, keep(name, "sinter", options, results)


def is_passed(results, test):
    return results.get(test, {}).get("outcome") == "passed"


def passes(results):
    return [t for t, r in results.items() if r["outcome"] == "passed"]


def not_passed(results):
    return [t for t, r in results.items() if r["outcome"] != "passed"]


def read_exceptions(devices):
    """Of one device; those of several stand in a file of their own, and differ from what is known of one."""
    out = {}
    with open(os.path.join(HERE, exceptions_file(devices))) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.strip().partition(": ")
                out[name] = reason
    return out


def exceptions_file(devices):
    return "upstream_exceptions_devices.txt" if devices > 1 else "upstream_exceptions.txt"


def compare(name, options, exceptions, used):
    """Numbers of tests by what came out, and the failures in words."""
    expected, results = both_results(name, options)
    expected = passes(expected)
    count, failures = collections.Counter(cpu=len(expected)), []
    for test in expected:
        full = f"{name}::{test}"
        pattern = next((p for p in exceptions if fnmatch.fnmatchcase(full, p)), None)
        got = results.get(test, {"outcome": "failed", "message": "was not run"})
        count[got["outcome"]] += 1
        if got["outcome"] == "passed":
            continue
        if pattern:
            count["listed"] += 1
        else:
            first = (got["message"].strip().splitlines() or [got["outcome"]])[0]
            failures.append(f"{full}: {first[:300]}")
    # What neither platform runs here is of use elsewhere.
    for test in not_passed(results):
        used.update(p for p in exceptions if fnmatch.fnmatchcase(f"{name}::{test}", p))
    return count, failures


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="libsinter_pjrt.so")
    parser.add_argument("--source", default=os.environ.get("SINTER_JAX_SOURCE"), help="a checkout of JAX")
    parser.add_argument("--cases", type=int, default=2, help="JAX_NUM_GENERATED_CASES")
    parser.add_argument("--limit", type=float, default=120, help="seconds a test may take")
    parser.add_argument("--devices", type=int, default=1, help="devices of each platform")
    parser.add_argument("--results", default=os.path.join(HERE, "..", "..", "build", "jax", "upstream"))
    parser.add_argument("--only", choices=("cpu", "sinter"), help="run there, and compare nothing")
    parser.add_argument("--quick", action="store_true", help="XLA:CPU runs only what the plugin does not pass")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if not options.source:
        print("skipped: SINTER_JAX_SOURCE names no checkout of JAX")
        return 0
    options.library = os.path.abspath(options.library)
    options.source = os.path.abspath(options.source)

    files = options.files or (FILES_OF_SEVERAL_DEVICES if options.devices > 1 else FILES)
    exceptions, used, failures = read_exceptions(options.devices), set(), []
    total = collections.Counter()
    for name in files:
        if options.only:
            by = collections.Counter(r["outcome"] for r in results_of(name, options.only, options).values())
            print(name, dict(by), flush=True)
            continue
        count, wrong = compare(name, options, exceptions, used)
        total.update(count)
        failures += wrong
        print(f"{name}: {'at least one' if options.quick else 'XLA:CPU'} passes {count['cpu']}, the plugin {count['passed']} of them; "
              f"{count['skipped']} skipped, {count['failed']} failed, {count['listed']} listed", flush=True)
        for line in wrong:
            print("  " + line, flush=True)
    if options.only:
        return 0
    for pattern in exceptions:
        if pattern not in used and pattern.partition("::")[0] in files:
            failures.append(f"{pattern}: passes, but stands in {exceptions_file(options.devices)}")
            print(failures[-1])
    share = 100 * total["passed"] / max(1, total["cpu"])
    print(f"{len(files)} files: {'at least one' if options.quick else 'XLA:CPU'} passes {total['cpu']} tests, the plugin {total['passed']} of them "
          f"({share:.2f} %); {total['skipped']} skipped, {total['listed']} listed, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
