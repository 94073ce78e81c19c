"""Runs what JAX lowers on sinter, and compares with JAX's own results.

A case is a function of arrays with the arguments to call it with. JAX lowers the function to
StableHLO text and runs it on its CPU; `sinter run` runs the text on the same arguments, which
travel as .npy files.
"""
import concurrent.futures
import contextlib
import dataclasses
import functools
import hashlib
import os
import re
import subprocess
import tempfile
import threading
import zlib

import jax
import jax.export
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir as _mlir
from jaxlib import _hlo
from jaxlib.mlir import ir as _ir
from jaxlib.mlir.dialects import stablehlo as _stablehlo

FLOATS = ("float16", "bfloat16", "float32", "float64")
REALS = ("float32", "float64")
COMPLEXES = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
NUMBERS = FLOATS + COMPLEXES + INTS
ANY = NUMBERS + ("bool",)
SHAPES = ((), (7,), (3, 33))


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


@dataclasses.dataclass(frozen=True)
class A:
    """An argument: normally distributed around 0, or uniform in [lo, hi) where those are given."""

    shape: tuple = (5, 8)
    type: str = "float32"
    lo: float | None = None
    hi: float | None = None
    make: object = None  # shape, generator -> array: overrides the distribution

    def value(self, generator):
        dtype = dtype_of(self.type)
        if self.make is not None:
            return np.asarray(self.make(self.shape, generator)).astype(dtype)
        if dtype == np.bool_:
            return generator.integers(0, 2, self.shape).astype(dtype)
        if dtype.kind in "iu":
            lo, hi = self.lo, self.hi
            if lo is None:
                lo, hi = (0 if dtype.kind == "u" else -9), 10
            return generator.integers(int(lo), int(hi), self.shape).astype(dtype)

        def real():
            if self.lo is None:
                return generator.standard_normal(self.shape)
            return generator.uniform(self.lo, self.hi, self.shape)

        if dtype.kind == "c":
            return np.asarray(real() + 1j * real()).astype(dtype)
        return np.asarray(real()).astype(dtype)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str  # module.function, a dot and more where a function has several cases
    function: object
    arguments: tuple
    # Errors are measured in the last place of the result's type: of each element, and with
    # `sums` of the largest element of the result (for what adds up terms of both signs).
    ulps: float = 32
    sums: bool = False
    # The program is what JAX lowers for this platform: where that keeps an operation which on the
    # CPU, whose results are expected all the same, becomes others.
    platform: str | None = None
    optional: bool = False  # agrees where JAX has no such program
    # Symbolic shapes of the arguments, such as "b, 2*n, 3": the program is the one that JAX exports
    # for all sizes of the symbols, and runs on arguments of one.
    symbolic: tuple | None = None

    def exported(self, arguments, platforms):
        """JAX's export for all sizes of the symbols."""
        return exported(self.function, self.symbolic, tuple(a.dtype for a in arguments), platforms)


class Table:
    """The cases of one module of JAX, by the names of its functions."""

    def __init__(self, module, name):
        self.module, self.name = module, name
        self.cases = []
        self.host = {}  # functions that lower to nothing, and why

    def add(self, function, *arguments, call=None, tag="", types=None, shapes=None, **options):
        """Cases of `function`, a name in the module. `call` takes its place where it needs more
        than arrays. With `types` or `shapes` one case for each of them."""
        target = call if call is not None else getattr(self.module, function)
        for type in types or (None,):
            for shape in shapes or (None,):
                chosen = tuple(
                    dataclasses.replace(a, **({"type": type} if type else {}),
                                        **({"shape": shape} if shape is not None else {}))
                    for a in arguments)
                parts = [self.name, function] + ([tag] if tag else [])
                parts += [type] if type else []
                parts += ["x".join(map(str, shape)) or "scalar"] if shape is not None else []
                self.cases.append(Case(".".join(parts), target, chosen, **options))

    def skip(self, reason, *functions):
        for f in functions:
            self.host[f] = reason

    def missing(self):
        """Public functions of the module that are neither called nor named as host functions."""
        called = {c.name.split(".")[len(self.name.split("."))] for c in self.cases}
        return [n for n in dir(self.module)
                if not n.startswith("_") and callable(getattr(self.module, n))
                and not isinstance(getattr(self.module, n), type)
                and n not in called and n not in self.host]


def _gradient(case):
    """The gradient of a weighted sum of the results by all inexact arguments."""
    def gradient(*arguments):
        inexact = [i for i, a in enumerate(arguments) if jnp.issubdtype(a.dtype, jnp.inexact)]

        def loss(*chosen):
            arrays = list(arguments)
            for i, a in zip(inexact, chosen):
                arrays[i] = a
            total = 0.0
            for y in jax.tree.leaves(case.function(*arrays)):
                if jnp.issubdtype(y.dtype, jnp.inexact):
                    weights = jnp.cos(jnp.arange(y.size, dtype=y.real.dtype)).reshape(y.shape)
                    total += jnp.sum(weights * (y.real + y.imag if jnp.iscomplexobj(y) else y))
            return total

        return jax.grad(loss, tuple(range(len(inexact))))(*(arguments[i] for i in inexact))

    return gradient


# What may be made of a case, and called instead: name -> case -> function.
TRANSFORMS = {"gradient": _gradient, "vmap": lambda case: jax.vmap(case.function)}


def transformed(cases, name):
    """Of each function's cases the last of those that differ only in shape, of 32-bit types.
    Arguments of vmap are several of them."""
    last = {}
    for c in cases:
        types = {a.type for a in c.arguments}
        inexact = types & {"float32", "complex64"}
        if types <= {"float32", "complex64", "int32", "uint32", "bool"} and not (c.platform or c.symbolic):
            if inexact or types and name != "gradient":
                last[re.sub(r"\.(scalar|[\dx]+)$", "", c.name)] = c
    for c in last.values():
        arguments = c.arguments
        if name == "vmap":
            arguments = tuple(A(a.shape, a.type, make=lambda shape, g, a=a: np.stack(
                [a.value(g) for _ in range(3)])) for a in arguments)
        # Derivatives have terms of both signs, and where the function is steep more of its error.
        # How exact each element is, the cases themselves show.
        yield dataclasses.replace(c, name=f"{c.name}:{name}", function=TRANSFORMS[name](c),
                                  arguments=arguments, sums=True,
                                  ulps=4 * c.ulps if name == "gradient" else c.ulps, optional=True)


def wide(arrays):
    return any(a.dtype.itemsize == 8 and a.dtype.kind in "iuf" or a.dtype.itemsize == 16
               for a in arrays)


def to_npy(a):
    """The form in which the tool reads and writes element types that NumPy lacks."""
    if a.dtype.kind == "V" or a.dtype.name not in np.sctypeDict:
        return a.view(f"u{a.dtype.itemsize}")
    return a


def distance(expected, got, case):
    """The largest error in units of the last place, and where it is; None where all is equal."""
    if expected.dtype.kind in "iub" or expected.size == 0:
        wrong = np.argwhere(np.atleast_1d(expected != got))
        return (float("inf"), tuple(map(int, wrong[0]))) if wrong.size else None
    if expected.dtype.kind == "c":
        # The specification's error of a complex function is that of the number, not of its parts.
        error = np.abs(expected.astype(np.complex128) - got.astype(np.complex128))
        size = np.abs(expected.astype(np.complex128))
        same = ((np.isnan(expected) & np.isnan(got)) | (expected == got)
                | (~np.isfinite(expected) & ~np.isfinite(got)))
        eps, tiny = np.finfo(expected.real.dtype).eps, np.finfo(expected.real.dtype).tiny
    else:
        limits = ml_dtypes.finfo(expected.dtype)
        eps, tiny = float(limits.eps), float(limits.tiny)
        e, g = expected.astype(np.float64), got.astype(np.float64)
        with np.errstate(invalid="ignore"):
            error, size = np.abs(e - g), np.abs(e)
        same = (np.isnan(e) & np.isnan(g)) | (e == g)
    finite = size[np.isfinite(size)]
    if case.sums and finite.size:
        size = np.maximum(size, finite.max())
    with np.errstate(invalid="ignore", over="ignore"):
        ulps = np.where(same, 0.0, error / (eps * np.maximum(size, tiny)))
    ulps = np.where(np.isnan(ulps), np.inf, ulps)
    worst = int(np.argmax(ulps))
    return float(ulps.flat[worst]), tuple(map(int, np.unravel_index(worst, ulps.shape)))


# How a program is given to sinter: as JAX lowers it, as a portable artifact of that in MLIR bytecode,
# as XLA reads it, as XLA's CPU compiles it, or as a file of jax.export, for the CPU or for several
# platforms.
FORMS = ("stablehlo", "bytecode", "hlo", "optimized", "file", "exported")

# Those of these that JAX can export the function for, as many as it can.
_EXPORTED = (("cpu", "cuda", "tpu"), ("cpu", "cuda"), ("cpu", "tpu"), ("cpu",))


def _hlo_text(module):
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return module.to_string(options)


def text_of(lowered, form, cache):
    """The program's text and the suffix of its file's name."""
    if form == "hlo":
        return _hlo_text(lowered.compiler_ir("hlo").get_hlo_module()), "hlo"
    text = lowered.as_text()
    if form == "stablehlo":
        return text, "mlir"
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    path = os.path.join(cache, digest + ".hlo") if cache else None
    if path and os.path.exists(path):
        with open(path) as f:
            return f.read(), "hlo"
    text = _hlo_text(lowered.compile().runtime_executable().hlo_modules()[0])
    if path:
        with open(f"{path}.{threading.get_ident()}", "w") as f:
            f.write(text)
        os.replace(f"{path}.{threading.get_ident()}", path)
    return text, "hlo"


def artifact_of(text):
    """The program as JAX hands it to a plugin: VHLO in MLIR bytecode, beside it what is not StableHLO."""
    with _mlir.make_ir_context():
        module = _ir.Module.parse(text)
        try:
            return _stablehlo.serialize_portable_artifact(module, _stablehlo.get_current_version())
        except ValueError:
            return _stablehlo.serialize_portable_artifact(module, _stablehlo.get_current_version(), True)


def _export(form, export):
    """What `export` makes for the platforms of `form`, as many as JAX has rules for."""
    for platforms in _EXPORTED if form == "exported" else _EXPORTED[-1:]:
        try:
            return export(platforms)
        except (NotImplementedError, jax.errors.ConcretizationTypeError) as e:  # no rule, or none for all sizes
            reason = e
    raise reason


def file_of(function, arguments, form):
    """What jax.export writes of the function. Calls whose targets JAX does not promise to keep are the program's too."""
    checks = [jax.export.DisabledSafetyCheck.custom_call("ALL")]
    # A list of results: JAX cannot write the names of every named tuple of its own.
    leaves = jax.jit(lambda *a: jax.tree.leaves(function(*a)), keep_unused=True)
    return _export(form, lambda platforms: jax.export.export(
        leaves, platforms=platforms, disabled_checks=checks)(*arguments).serialize())


@functools.cache
def exported(function, symbolic, types, platforms=("cpu",)):
    """The export of `function` for all sizes of the symbols in its arguments' shapes."""
    scope = jax.export.SymbolicScope()
    specs = [jax.ShapeDtypeStruct(jax.export.symbolic_shape(text, scope=scope), type)
             for text, type in zip(symbolic, types)]
    return jax.export.export(jax.jit(function, keep_unused=True), platforms=platforms)(*specs)


def jax_results(lowered, text, arguments, cache):
    """What JAX computes; kept in the folder `cache`, because its compiler is slow."""
    digest = hashlib.sha256(text.encode())
    for a in arguments:
        digest.update(a.tobytes())
    path = os.path.join(cache, digest.hexdigest()[:32] + ".npz") if cache else None
    if path and os.path.exists(path):
        with np.load(path) as kept:
            results = [kept[str(i)] for i in range(len(kept) // 2)]
            return [r.view(dtype_of(str(kept[f"t{i}"]))) for i, r in enumerate(results)]
    results = [np.asarray(x) for x in jax.tree.leaves(lowered.compile()(*arguments))]
    if path:
        arrays = {str(i): to_npy(r) for i, r in enumerate(results)}
        arrays.update({f"t{i}": np.array(r.dtype.name) for i, r in enumerate(results)})
        np.savez(path + f".{threading.get_ident()}.npz", **arrays)
        os.replace(path + f".{threading.get_ident()}.npz", path)
    return results


class Tool:
    """`sinter run` on the program in one of FORMS. Folders: `cache` of XLA's texts, `keep` for the programs."""

    def __init__(self, sinter, device, form, cache=None, keep=None):
        self.sinter, self.device, self.form = sinter, device, form
        self.cache, self.keep = cache, keep

    def program(self, case, arguments, lowered):
        """The bytes, and the suffix of the file's name."""
        function = jax.jit(case.function, keep_unused=True)
        files = self.form in ("file", "exported")
        if case.symbolic:
            export = _export(self.form, functools.partial(case.exported, arguments))
            return (export.serialize(), "jaxexport") if files else self.text(export.mlir_module())
        if case.platform:
            text = function.trace(*arguments).lower(lowering_platforms=(case.platform,)).as_text()
            return self.text(text)
        if files:
            return file_of(function, arguments, self.form), "jaxexport"
        if self.form in ("hlo", "optimized"):
            text, suffix = text_of(lowered, self.form, self.cache)
            return text.encode(), suffix
        return self.text(lowered.as_text())

    def text(self, text):
        return (artifact_of(text) if self.form == "bytecode" else text.encode()), "mlir"

    def run(self, case, arguments, program):
        """The results, or what is wrong in one line."""
        program, suffix = program
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(self.keep or folder, f"{case.name}.{suffix}")
            with open(path, "wb") as f:
                f.write(program)
            command = [self.sinter, "run", path, f"--device={self.device}", f"--output={folder}", "--threads=1"]
            for i, a in enumerate(arguments):
                np.save(f"{folder}/in{i}.npy", to_npy(a))
                command.append(f"--input={folder}/in{i}.npy")
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                return "sinter: no result after 120 s"
            if done.returncode != 0:
                lines = done.stderr.strip().splitlines() or ["no message"]
                return f"exit {done.returncode}: {lines[-1][:300]}"
            files = sorted((int(name[:-4]), name) for name in os.listdir(folder) if re.fullmatch(r"\d+\.npy", name))
            return [np.load(os.path.join(folder, name)) for _, name in files]


class Plugin:
    """The platform of the plugin in this process, which has XLA's CPU too."""

    def __init__(self):
        self.place = jax.devices("sinter")[0]

    def program(self, case, arguments, lowered):
        del lowered
        if case.symbolic:
            return jax.jit(case.exported(arguments, ("sinter",)).call)
        return jax.jit(case.function, keep_unused=True)

    def run(self, case, arguments, program):
        del case
        try:
            with jax.default_device(self.place):
                results = jax.tree.leaves(program(*(jax.device_put(a, self.place) for a in arguments)))
                elsewhere = [r for r in results if self.place not in r.devices()]
                if elsewhere:
                    return f"a result is on {elsewhere[0].devices()}"
                return [np.asarray(r) for r in results]
        except Exception as e:  # what a program may raise is not known
            return f"{type(e).__name__}: {str(e).splitlines()[0][:300]}"


def run(case, target, cache=None):
    """None where the target agrees with JAX, else what is wrong, in one line."""
    generator = np.random.default_rng(zlib.crc32(case.name.encode()))
    arguments = [a.value(generator) for a in case.arguments]
    context = jax.enable_x64(True) if wide(arguments) else contextlib.nullcontext()
    with context:
        try:
            lowered = jax.jit(case.function, keep_unused=True).lower(*arguments)
            expected = jax_results(lowered, lowered.as_text(), arguments, cache)
            program = target.program(case, arguments, lowered)
        except Exception as e:  # any: JAX's own limits differ from release to release
            if case.optional:
                return None
            return f"JAX: {type(e).__name__}: {str(e).splitlines()[0][:150]}"
        results = target.run(case, arguments, program)
    if isinstance(results, str):
        return results
    if len(results) != len(expected):
        return f"{len(results)} results, JAX has {len(expected)}"
    for i, (e, got) in enumerate(zip(expected, results)):
        if got.dtype != e.dtype:
            got = got.view(e.dtype)
        if got.shape != e.shape:
            return f"result {i}: shape {got.shape}, JAX's is {e.shape}"
        d = distance(e, got, case)
        if d is not None and d[0] > case.ulps:
            where = d[1] if e.shape else ()
            return (f"result {i} at {where}: {got[where]!s}, JAX has {e[where]!s}: "
                    f"{d[0]:.3g} units of the last place, {case.ulps:g} allowed")
    return None


def run_all(cases, target, jobs, cache=None):
    """Pairs of a case and what `run` says of it, in the order of `cases`."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(cases, pool.map(lambda c: run(c, target, cache), cases))
