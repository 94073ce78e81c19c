"""Random JAX programs for `compare.py --programs`: what no list of programs has, in the shapes that no list has.

    SEED=7 COUNT=40 KIND=any python compare.py --sinter SINTER --programs random_programs.py [NAME ...]

A program is a few operations on arrays of 1 to 4 dimensions, drawn by its seed alone, so that `NAME` (KIND_SEED) runs
the same one again. Kinds: `chain` (up to 10 operations, of up to 4 million elements), `grad` (the gradient of a chain's
mean square), `loop` (a step of 2 to 8 operations, 20 to 300 times), `scan` (a step that also reads and writes a row a
turn), `vmap` (a chain of one small array, over a batch), `any` of these. The stated work is none, so that there is no
limit: the column that says something is `run`. Operations of integers and choices follow a rounding error: a program
whose outputs differ is to be looked at, and not always wrong.
"""
import os
import zlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from programs import Program as P

FLOATS = ["float32"] * 6 + ["bfloat16", "float16"] + ["float64"] * (os.environ.get("X64", "0") == "1") * 4


def bounded(x):
    """Keeps values from growing without end in a loop."""
    return x / (1 + jnp.abs(x))


class Draw:
    """A chain of random operations. Every decision comes from `rng`, none from a value, so that a traced function
    draws the same ones whenever it is traced from the same seed."""

    def __init__(self, seed, limit=4_000_000):
        self.rng = np.random.default_rng(seed)
        self.limit = limit

    def pick(self, xs):
        return xs[int(self.rng.integers(len(xs)))]

    def extent(self, low=1, high=300):
        if self.rng.random() < .3:
            return int(self.pick([1, 2, 3, 4, 7, 8, 16, 32, 64, 100, 128, 256]))
        return int(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def shape(self, low=16, high=None):
        high = high or self.limit
        while True:
            s = tuple(self.extent() for _ in range(int(self.rng.integers(1, 5))))
            if self.rng.random() < .3:
                s = (*s[:-1], s[-1] * int(self.rng.integers(1, 100)))
            if low <= np.prod(s) <= high:
                return s

    def weight(self, shape, t):
        """A constant of the program that no folding makes small: some function of an iota."""
        n = int(np.prod(shape))
        return (jnp.sin(jnp.arange(n, dtype="float32") * .7) * .5).reshape(shape).astype(t)

    def axis(self, x):
        return int(self.rng.integers(x.ndim))

    # Operations from a value to a value; None where one does not apply.
    def unary(self, x):
        f = self.pick([jnp.tanh, jnp.exp, jnp.sin, jax.nn.sigmoid, jnp.abs, jnp.square, lambda v: jnp.sqrt(jnp.abs(v) + .1),
                       lambda v: jnp.log1p(jnp.abs(v)), jax.nn.relu, jax.nn.gelu, jax.nn.softplus, jnp.floor, jnp.sign,
                       lambda v: lax.rsqrt(v * v + 1), lambda v: v ** 3, jnp.cos, jax.nn.silu, jnp.arctan, lax.erf])
        return f(jnp.clip(x, -4, 4) if f is jnp.exp else x)

    def binary(self, x):
        shape = tuple(1 if self.rng.random() < .4 else e for e in x.shape)[int(self.rng.integers(0, x.ndim)):]
        w = self.weight(shape, x.dtype)
        return self.pick([jnp.add, jnp.multiply, jnp.subtract, jnp.maximum, lambda a, b: a / (2 + b), lambda a, b: jnp.where(a > b, a, b * .5),
                          jnp.minimum, jnp.hypot if x.dtype != jnp.float16 else jnp.add])(x, w)

    def transpose(self, x):
        return x.transpose(self.rng.permutation(x.ndim)) if x.ndim > 1 else None

    def swap(self, x):
        """Adds what is transposed where two extents are equal."""
        equal = [(i, j) for i in range(x.ndim) for j in range(i) if x.shape[i] == x.shape[j] > 1]
        return x + jnp.swapaxes(x, *self.pick(equal)) * .5 if equal else None

    def roll(self, x):
        a = self.axis(x)
        r = lambda k: jnp.roll(x, k, a)
        return self.pick([lambda: r(1) + r(-1) - 2 * x, lambda: r(int(self.rng.integers(1, 9))) * .5 + x, lambda: x - r(1)])()

    def shift(self, x):
        a = self.axis(x)
        e = x.shape[a]
        if e < 3:
            return None
        s = lambda lo, hi: lax.slice_in_dim(x, lo, hi, axis=a)
        return self.pick([lambda: s(2, e) - 2 * s(1, e - 1) + s(0, e - 2), lambda: jnp.diff(x, axis=a),
                          lambda: s(0, e - 1), lambda: lax.slice_in_dim(x, 0, e, 2, a), lambda: jnp.gradient(x, axis=a)])()

    def pad(self, x):
        if x.size > self.limit / 2:
            return None
        widths = [tuple(self.rng.integers(0, 3, 2)) for _ in x.shape]
        mode = self.pick(["constant", "edge", "wrap", "reflect"]) if min(x.shape) > 2 else "constant"
        return jnp.pad(x, widths, mode=mode)

    def join(self, x):
        if x.size > self.limit / 2:
            return None
        a = self.axis(x)
        return self.pick([lambda: jnp.concatenate([x, x[::-1] * 2], a), lambda: jnp.stack([x, x + 1], self.pick([0, -1])),
                          lambda: jnp.concatenate([jnp.zeros_like(lax.slice_in_dim(x, 0, 1, axis=a)), x], a),
                          lambda: jnp.repeat(x, 2, a), lambda: jnp.tile(x, (2,) * x.ndim) if x.ndim < 3 else x])()

    def flip(self, x):
        return jnp.flip(x, self.axis(x)) + .5 * x

    def reduce(self, x):
        if x.ndim == 1 and self.rng.random() < .7:
            return None
        axes = tuple(int(v) for v in self.rng.choice(x.ndim, int(self.rng.integers(1, min(x.ndim, 3) + (x.ndim == 1))), replace=False))
        f = self.pick([jnp.sum, jnp.mean, jnp.max, jnp.min, jnp.std, jax.nn.logsumexp, lambda v, axis, keepdims: jnp.sum(v * v, axis, keepdims=keepdims),
                       lambda v, axis, keepdims: jnp.prod(bounded(v), axis, keepdims=keepdims)])
        r = f(x, axis=axes, keepdims=True)
        return self.pick([lambda: x - r, lambda: x / (1 + jnp.abs(r)), lambda: jnp.squeeze(r, axes) if x.ndim > len(axes) else r,
                          lambda: jnp.squeeze(r, axes) if x.ndim > len(axes) else x * r])()

    def normalise(self, x):
        a = self.axis(x)
        return self.pick([lambda: jax.nn.softmax(x, a), lambda: jax.nn.log_softmax(x, a), lambda: jax.nn.standardize(x, a),
                          lambda: x * lax.rsqrt(jnp.mean(x * x, a, keepdims=True) + 1e-5)])()

    def scan_op(self, x):
        if x.dtype in (jnp.float16, jnp.bfloat16):
            return None
        return self.pick([lambda v, a: jnp.cumsum(v, a) / v.shape[a], lambda v, a: lax.cummax(v, a), lambda v, a: jnp.cumprod(bounded(v), a),
                          lambda v, a: lax.cumsum(v, a, reverse=True) / v.shape[a]])(x, self.axis(x))

    def product(self, x):
        if x.ndim < 2:
            return None
        k = x.shape[-1]
        n = min(self.extent(), 4 * self.limit // x.size * k // 4 + 1)
        if x.size * n > 2e9:
            return None
        return self.pick([lambda: x @ self.weight((k, n), x.dtype) / k, lambda: jnp.einsum("...k,nk->...n", x, self.weight((n, k), x.dtype)) / k,
                          lambda: jnp.einsum("...ij,...kj->...ik", x, x) / k if x.size * x.shape[-2] < 1e8 and x.size // k * x.shape[-2] < self.limit else x,
                          lambda: jnp.einsum("...ij,...ij->...i", x, x + 1) / k, lambda: jax.nn.relu(x @ self.weight((k, n), x.dtype) + .1)])()

    def contract_major(self, x):
        if x.ndim < 2 or x.shape[0] * x.size > 3e8 or x.shape[1] ** 2 > self.limit:
            return None
        y = x.reshape(x.shape[0], -1)
        return None if y.shape[1] > 1500 else y.T @ jnp.tanh(y) / x.shape[0]

    def conv(self, x):
        if x.ndim not in (2, 3, 4) or x.dtype in (jnp.float16, jnp.bfloat16):
            return None
        if x.ndim == 2:
            k = int(self.pick([3, 5, 7]))
            return jax.scipy.signal.convolve(x, self.weight((k, k), x.dtype), mode="same") / k if min(x.shape) > k and x.size * k * k < 1e8 else None
        n = int(self.pick([1, 4, 8, 16, 32]))
        c = x.shape[-1]
        if x.size * n * 9 > 1e9 or x.size // c * n > self.limit:
            return None
        if x.ndim == 3:
            return lax.conv_general_dilated(x, self.weight((3, c, n), x.dtype), (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")) / c
        depthwise = self.rng.random() < .3
        w = self.weight((3, 3, 1, c) if depthwise else (3, 3, c, n), x.dtype)
        return lax.conv_general_dilated(x, w, self.pick([(1, 1), (1, 1), (2, 2)]), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                        feature_group_count=c if depthwise else 1) / c

    def pool(self, x):
        if x.ndim < 2 or min(x.shape[-2:]) < 3:
            return None
        dims = (1,) * (x.ndim - 2) + self.pick([(2, 2), (3, 3), (1, 3), (3, 1)])
        strides = self.pick([(1,) * x.ndim, dims])
        return self.pick([lambda: lax.reduce_window(x, -jnp.inf, lax.max, dims, strides, "SAME"),
                          lambda: lax.reduce_window(x, jnp.zeros((), x.dtype), lax.add, dims, strides, "VALID") / 4])()

    def gather(self, x):
        a = self.axis(x)
        e = x.shape[a]
        i = (jnp.arange(e) * 7 + 3) % e
        return self.pick([lambda: jnp.take(x, i, a), lambda: jnp.take(x, jnp.argsort(self.weight((e,), "float32")), a),
                          lambda: jnp.take_along_axis(x, (jnp.abs(x) * 10).astype("int32") % e, a), lambda: x[..., i % x.shape[-1]] if x.ndim > 1 else x])()

    def scatter(self, x):
        e = x.shape[0]
        i = (jnp.arange(e) * 5 + 1) % max(e // 2, 1)
        return self.pick([lambda: jnp.zeros_like(x).at[i].add(x), lambda: x.at[i].max(x * .5), lambda: x.at[0].set(1.), lambda: x.at[..., 0].add(1.),
                          lambda: jax.ops.segment_sum(x, i, e), lambda: x.at[::2].multiply(.5)])()

    def sort(self, x):
        if x.size > 300_000:
            return None
        a = self.axis(x)
        return self.pick([lambda: jnp.sort(x, a), lambda: jnp.argsort(x, a).astype(x.dtype) / x.shape[a], lambda: jnp.median(x, a, keepdims=True) + x,
                          lambda: lax.top_k(x, min(3, x.shape[-1]))[0], lambda: x * (jnp.argmax(x, a, keepdims=True) + 1).astype(x.dtype) / x.shape[a]])()

    def reshape(self, x):
        if x.ndim > 1 and self.rng.random() < .5:
            i = int(self.rng.integers(x.ndim - 1))
            return x.reshape(*x.shape[:i], -1, *x.shape[i + 2:])
        a = self.axis(x)
        f = next((f for f in (2, 3, 4, 5, 7) if x.shape[a] % f == 0 and x.shape[a] > f), None)
        return x.reshape(*x.shape[:a], f, -1, *x.shape[a + 1:]) if f and x.ndim < 5 else None

    def outer(self, x):
        y = x.reshape(-1, x.shape[-1])
        n = y.shape[-1]
        if y.shape[0] * n * n > self.limit or n > 2000:
            return None
        d = y[:, :, None] - y[:, None, :]
        return self.pick([lambda: d, lambda: jnp.sum(jnp.exp(-d * d), -1) / n, lambda: jnp.where(d > 0, d, 0).mean(1), lambda: jnp.tril(d)])()

    def mask(self, x):
        if x.ndim > 1:
            return self.pick([lambda: jnp.tril(x), lambda: jnp.where(jnp.arange(x.shape[-1]) < x.shape[-1] // 2, x, 0), lambda: jnp.triu(x, 1)])()
        return jnp.where(jnp.arange(x.shape[0]) % 3 == 0, x, -x)

    def convert(self, x):
        return self.pick([lambda: x.astype("bfloat16").astype(x.dtype), lambda: jnp.round(x * 8).astype("int8").astype(x.dtype) / 8,
                          lambda: (x > 0).astype(x.dtype), lambda: jnp.clip(x, -1, 1), lambda: (lax.bitcast_convert_type(x, "int32") & 0x7fff0000).astype("float32") * 1e-9
                          if x.dtype == jnp.float32 else x])()

    def small_matrices(self, x):
        if x.ndim < 2 or x.dtype != jnp.float32 or x.shape[-1] > 24 or x.size > 500_000:
            return None
        n = x.shape[-1]
        m = jnp.einsum("...ij,...ik->...jk", x, x) + n * jnp.eye(n, dtype=x.dtype)
        if x.size // x.shape[-2] * n > self.limit / 4:
            return None
        return self.pick([lambda: jnp.linalg.cholesky(m), lambda: jnp.linalg.inv(m), lambda: jnp.linalg.det(m / n), lambda: jnp.linalg.solve(m, m[..., :1])])()

    def random(self, x):
        k = jax.random.key(3)
        return self.pick([lambda: x + jax.random.uniform(k, x.shape, x.dtype), lambda: x * jax.random.bernoulli(k, .9, x.shape),
                          lambda: x + .1 * jax.random.normal(k, x.shape, x.dtype)])()

    def fft(self, x):
        if x.dtype != jnp.float32 or x.shape[-1] < 4:
            return None
        return self.pick([lambda: jnp.abs(jnp.fft.rfft(x)), lambda: jnp.fft.ifft(jnp.fft.fft(x) * .5).real])() / x.shape[-1]

    COMMON = ["unary", "binary", "unary", "binary", "transpose", "roll", "shift", "reduce", "reduce", "normalise", "mask", "reshape", "join", "pad", "flip", "product", "convert"]
    RARE = ["swap", "scan_op", "product", "contract_major", "conv", "pool", "gather", "scatter", "sort", "outer", "small_matrices", "random", "fft"]

    def step(self, x):
        for _ in range(50):
            op = self.pick(self.COMMON if self.rng.random() < .65 else self.RARE)
            y = getattr(self, op)(x)
            if y is not None and 0 < y.size <= self.limit and 0 < y.ndim < 6:
                return y.astype(x.dtype)
        return x * 2

    def chain(self, x, n):
        for _ in range(n):
            x = self.step(x)
        return x

    def back(self, y, shape):
        """`y` as an array of `shape`: what a step's state needs."""
        if y.shape == shape:
            return y
        n, size = int(np.prod(shape)), y.size
        flat = y.reshape(-1)
        flat = flat[:n] if size >= n else jnp.resize(flat, (n,)) if size * 8 > n else jnp.mean(flat)
        return jnp.broadcast_to(flat.reshape(shape) if flat.ndim else flat, shape)


def program(kind, seed):
    key = zlib.crc32(f"{kind}_{seed}".encode())
    first = np.random.default_rng(key)
    t = FLOATS[int(first.integers(len(FLOATS)))]
    d = Draw(key)
    n = int(first.integers(3, 11))
    if kind in ("loop", "scan"):
        d.limit = int(np.exp(first.uniform(np.log(64), np.log(40_000))))
        shape = d.shape(4, d.limit)
        d.limit *= 2
        n, turns = int(first.integers(2, 9)), int(first.integers(20, 300))
        state = d.rng.bit_generator.state

        def body(x):
            d.rng.bit_generator.state = state
            return bounded(d.back(d.chain(x, n), shape) + .3 * x).astype(x.dtype)
        if kind == "loop":
            fn = lambda x: lax.fori_loop(0, turns, lambda i, c: body(c), x)
            return P(f"loop_{seed}", fn, [(shape, t, "normal")])

        def fn(x, rows):
            def turn(c, r):
                c = body(c + r)
                return c, (c.sum(0) if c.ndim > 1 else c)
            return lax.scan(turn, x, rows)
        return P(f"scan_{seed}", fn, [(shape, t, "normal"), ((turns, shape[-1]), t, "normal")])
    if kind == "vmap":
        d.limit = int(first.integers(16, 3000))
        shape = d.shape(4, d.limit)
        batch = int(np.exp(first.uniform(np.log(4), np.log(2_000_000 / d.limit))))
        d.limit *= 2
        state = d.rng.bit_generator.state

        def one(x):
            d.rng.bit_generator.state = state
            return d.chain(x, n)
        return P(f"vmap_{seed}", jax.vmap(one), [((batch, *shape), t, "normal")])
    shape = d.shape(1000)
    state = d.rng.bit_generator.state

    def fn(x):
        d.rng.bit_generator.state = state
        return d.chain(x, n)
    if kind == "grad":
        gradient = jax.grad(lambda x: jnp.mean(jnp.square(fn(x).astype("float32"))))
        try:
            jax.eval_shape(gradient, jax.ShapeDtypeStruct(shape, t))
            return P(f"grad_{seed}", gradient, [(shape, t, "normal")])
        except (ValueError, TypeError, NotImplementedError):    # no derivative of one of its operations: the chain alone
            pass
    return P(f"{kind}_{seed}", fn, [(shape, t, "normal")])


KINDS = ["chain", "grad", "loop", "scan", "vmap"]
_first, _kind = int(os.environ.get("SEED", 1)), os.environ.get("KIND", "any")
ALL = [program(KINDS[s % len(KINDS)] if _kind == "any" else _kind, s) for s in range(_first, _first + int(os.environ.get("COUNT", 40)))]
