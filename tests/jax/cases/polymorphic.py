"""Programs exported for symbolic dimensions (`jax.export`), run on arguments of several sizes.

What JAX itself does not export so is not here: transforms along a symbolic dimension, permutations,
searches, convolutions with a symbolic kernel.

Their StableHLO has types such as tensor<?x3xf32>, operations that take sizes as operands, and
assertions about shapes. Each public function here is a program; `_add` names the symbolic shape of
each argument, and makes a case for each assignment of sizes to the symbols.
"""
import sys

import jax
import jax.numpy as jnp
from jax import lax

from harness import A, Table

T = Table(sys.modules[__name__], "polymorphic")


def _add(function, *arguments, sizes, tag="", **options):
    """`arguments` are pairs of a symbolic shape, such as "b, 2*n, 3", and the rest of an A."""
    for assignment in sizes:
        chosen = tuple(A(_shape(text, assignment), **rest) for text, rest in arguments)
        name = "-".join(f"{k}{v}" for k, v in assignment.items())
        T.add(function.__name__, *chosen, call=function, tag=f"{tag}.{name}" if tag else name,
              symbolic=tuple(text for text, _ in arguments), **{"sums": True, **options})


def _shape(text, assignment):
    return tuple(int(eval(d, {}, dict(assignment)))  # pylint: disable=eval-used
                 for d in text.split(",") if d.strip())


def _f(text, **rest):
    return text, rest


def _i(text, **rest):
    return text, {"type": "int32", **rest}


_N = ({"n": 1}, {"n": 6})
_BN = ({"b": 1, "n": 1}, {"b": 3, "n": 5})


# Elements and moves


def arithmetic(x, y):
    return jnp.sin(x) * y + jnp.where(x > y, x, -y)


def broadcast_between(x, y):
    return x[:, None, :] + y[None, :, :] * 2


def repeat_to_shape(x, y):
    return jnp.broadcast_to(x, y.shape) + jnp.ones(y.shape) + jnp.zeros_like(y)


def reshape_flat(x):
    return x.reshape(-1) * 2, x.reshape(x.shape[0], -1), x.reshape((x.shape[0] * x.shape[1], 3))


def transpose_swap(x):
    return x.T, jnp.swapaxes(x, 0, 1) + 1, jnp.moveaxis(x, 0, -1)


def concatenate_halves(x, y):
    return jnp.concatenate([x, y, x], axis=0), jnp.stack([x[:1], y[:1]])


def slice_ends(x):
    return x[1:], x[:-1], x[::2], x[-1], x[1:, ::-1]


def pad_sides(x):
    return jnp.pad(x, ((1, 2), (0, 1))), lax.pad(x, jnp.float32(7), ((2, 0, 1), (0, 3, 2)))


def pad_modes(x):
    return jnp.pad(x, ((1, 1), (0, 0)), mode="edge"), jnp.pad(x, ((1, 0), (1, 0)), mode="reflect")


def roll_flip(x):
    return jnp.roll(x, 1, axis=0), jnp.flip(x, axis=0), jnp.flip(x)


def tile_repeat(x):
    return jnp.tile(x, (2, 3)), jnp.repeat(x, 2, axis=0)


def iota_eye(x):
    n = x.shape[0]
    return jnp.arange(n), jnp.eye(n), jnp.arange(n, dtype=jnp.float32) * x[:, 0], jnp.tri(n)


def linspace_mesh(x):
    n = x.shape[0]
    a, b = jnp.meshgrid(jnp.arange(n), jnp.arange(3))
    return jnp.linspace(0.0, 1.0, 5) * n, a + b


def bits(x):
    return lax.bitcast_convert_type(x, jnp.int32), x.astype(jnp.bfloat16).astype(jnp.float32)


def sizes_as_values(x):
    return jnp.sum(x) / x.shape[0], x * (x.shape[0] + x.shape[1]), jnp.array(x.size)


def dimension_arithmetic(x):
    n = x.shape[0]
    return (jnp.zeros((n // 2 + 1,)) + 1, jnp.ones((2 * n - 1, n % 3 + 1)), jnp.ones(((n + 3) // 4,)))


# Reductions


def reductions(x):
    return (x.sum(0), x.sum(1), x.sum(), x.mean(0), x.max(1), x.min(0), x.prod(1),
            jnp.any(x > 1, 0), jnp.all(x > -3, 1))


def statistics(x):
    return x.var(0), x.std(1), jnp.median(x[:3], axis=1), jnp.linalg.norm(x), jnp.ptp(x, axis=1)


def arguments_of_extremes(x):
    return jnp.argmax(x, 0), jnp.argmin(x, 1), jnp.argmax(x)


def logsumexp(x):
    return jax.nn.logsumexp(x, axis=0), jax.nn.log_softmax(x, axis=1), jax.nn.softmax(x, axis=0)


def cumulative(x):
    return (jnp.cumsum(x, 0), jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 0),
            lax.cumlogsumexp(x, 1), jnp.cumsum(x, 0)[::-1])


def windows(x):
    return (lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 2), "SAME"),
            lax.reduce_window(x, 0.0, lax.add, (3, 1), (2, 1), "SAME"))


def pooling(x):
    return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"))


def pooling_gradient(x):
    def loss(y):
        z = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return jnp.sum(z * z)

    return jax.grad(loss)(x)


# Products


def einsums(x, y):
    return (jnp.einsum("bij,bjk->bik", x, y), jnp.einsum("bij,bjk->bk", x, y),
            jnp.einsum("bij->ji", x))


def matmul(x, y):
    return x @ y, jnp.dot(x[0], y), jnp.vdot(x, x), jnp.outer(x[0], y[0])


def mlp(x, w1, b1, w2, b2):
    return jax.nn.softmax(jax.nn.gelu(x @ w1 + b1) @ w2 + b2)


def mlp_gradient(x, w1, b1, w2, b2):
    def loss(*parameters):
        return jnp.mean(mlp(x, *parameters) ** 2)

    return jax.grad(loss, (0, 1, 2, 3))(w1, b1, w2, b2)


def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / q.shape[-1] ** 0.5
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)


def attention_gradient(x, wq, wk, wv):
    return jax.grad(lambda *w: jnp.sum(jnp.sin(attention(x, *w))), (0, 1, 2))(wq, wk, wv)


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale + bias


def embedding(tokens, table):
    return table[tokens] + table[jnp.arange(tokens.shape[1])]


def embedding_gradient(tokens, table):
    return jax.grad(lambda t: jnp.sum(jnp.sin(t[tokens])))(table)


# Convolutions


def convolution(x, kernel):
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def convolution_strided(x, kernel):
    return lax.conv_general_dilated(x, kernel, (2, 2), "SAME", rhs_dilation=(1, 2),
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def convolution_valid(x, kernel):
    return lax.conv_general_dilated(x, kernel, (2, 1), ((1, 0), (0, 2)), lhs_dilation=(2, 1),
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def convolution_gradient(x, kernel):
    def loss(a, b):
        return jnp.sum(jnp.sin(convolution_strided(a, b)))

    return jax.grad(loss, (0, 1))(x, kernel)


def network(x, kernel, w):
    y = jax.nn.relu(convolution(x, kernel))
    y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
    return jax.nn.log_softmax(y.mean((1, 2)) @ w)


# Sorts, gathers, scatters


def sorts(x):
    return jnp.sort(x, axis=0), jnp.argsort(x, axis=1), jnp.sort(x, axis=0, descending=True)


def sort_pairs(x, y):
    return lax.sort((x, y), num_keys=1)


def top_k(x):
    return lax.top_k(x, 2)


def gathers(x, indices):
    return (x[indices], jnp.take(x, indices, axis=1, mode="clip"),
            jnp.take_along_axis(x, indices[:, None] % 3, axis=1))


def gather_rows(x, indices):
    return jnp.take(x, indices, axis=0, mode="fill"), x[indices, indices % 3]


def scatters(x, indices, y):
    return (x.at[indices].set(y[0]), x.at[indices].add(y), x.at[:, 1].multiply(2.0),
            x.at[indices % 2, 1:].max(y[:, 1:]))


def segment_sum(x, indices):
    return jax.ops.segment_sum(x, indices, num_segments=4)


def one_hot(indices):
    return jax.nn.one_hot(indices, 5), jax.nn.one_hot(indices, 5, axis=0)


def dynamic_slices(x, at):
    return (lax.dynamic_slice(x, (at[0], 0), (1, x.shape[1])),
            lax.dynamic_slice_in_dim(x, at[0], 2, axis=1),
            lax.dynamic_update_slice(x, x[:1] * 2, (at[0], 0)),
            lax.dynamic_index_in_dim(x, at[0], axis=0))


def select_and_clip(x):
    return jnp.clip(x, -1, 1), jnp.select([x > 1, x < -1], [x, -x], 0.0), jnp.nan_to_num(x)


def lexicographic(x):
    return jnp.lexsort((x[:, 0], x[:, 1])), jnp.rot90(x), jnp.diff(x, axis=0), jnp.trapezoid(x, axis=1)


def diagonals(x):
    return jnp.diagonal(x), jnp.trace(x), jnp.triu(x), jnp.diag(x[0])


# Control


def while_rows(x):
    def body(state):
        i, total, rows = state
        return i + 1, total + lax.dynamic_index_in_dim(rows, i, 0, False), rows * 0.5

    return lax.while_loop(lambda s: s[0] < x.shape[0], body, (0, jnp.zeros(x.shape[1:]), x))


def for_rows(x):
    return lax.fori_loop(0, x.shape[0], lambda i, a: a.at[i].add(a[i - 1]), x)


def scan_rows(x, w):
    def step(state, row):
        state = jnp.tanh(state @ w + row)
        return state, state.sum()

    return lax.scan(step, jnp.zeros(x.shape[1]), x)


def scan_gradient(x, w):
    return jax.grad(lambda a, b: jnp.sum(scan_rows(a, b)[1]), (0, 1))(x, w)


def scan_batch(x, w):
    def step(state, row):
        state = jnp.tanh(state @ w + row)
        return state, state

    return lax.scan(step, jnp.zeros((x.shape[1], x.shape[2])), x)


def conditional(x, flag):
    return lax.cond(flag[0] > 0, lambda a: a * 2, lambda a: jnp.flip(a, 0), x)


def switch(x, which):
    return lax.switch(which[0], [lambda a: a + 1, lambda a: a.sum(0, keepdims=True) + a, jnp.exp], x)


def associative(x):
    return lax.associative_scan(jnp.add, x, axis=1)


def map_rows(x):
    return lax.map(lambda r: jnp.sum(r * r), x)


def mapped(x, y):
    return jax.vmap(lambda a, b: jnp.dot(a, b) + a)(x, y)


def nested_calls(x):
    inner = jax.jit(lambda a: jnp.sum(a, 0, keepdims=True) + a)
    return inner(inner(x)) + inner(x * 2)


def checkpointed(x):
    return jax.grad(lambda a: jnp.sum(jax.checkpoint(lambda b: jnp.sin(jnp.cos(b)))(a)))(x)


# Linear algebra, transforms, random numbers


def cholesky(x):
    a = x @ jnp.swapaxes(x, -1, -2) + 4 * jnp.eye(x.shape[-2])
    return jnp.linalg.cholesky(a)


def triangular(x, y):
    a = jnp.tril(x) + 4 * jnp.eye(x.shape[-1])
    return lax.linalg.triangular_solve(a, y, left_side=True, lower=True)


def qr(x):
    q, r = jnp.linalg.qr(x)
    return q @ r


def svd(x):
    u, s, v = jnp.linalg.svd(x, full_matrices=False)
    return s, (u * s[..., None, :]) @ v


def eigh(x):
    a = x + jnp.swapaxes(x, -1, -2)
    w, v = jnp.linalg.eigh(a)
    return w, (v * w[..., None, :]) @ jnp.swapaxes(v, -1, -2)


def lu_solve(x, y):
    return jnp.linalg.solve(x + 4 * jnp.eye(x.shape[-1]), y)


def determinant(x):
    return jnp.linalg.det(x + 2 * jnp.eye(x.shape[-1])), jnp.linalg.inv(x + 4 * jnp.eye(3))


def fourier(x):
    return jnp.fft.fft(x, axis=-1), jnp.fft.rfft(x, axis=-1), jnp.fft.irfft(x, axis=-1)


def uniform(key, x):
    return jax.random.uniform(key, x.shape), jax.random.bits(key, x.shape)


def normal(key, x):
    return jax.random.normal(key, x.shape) + x, jax.random.bernoulli(key, 0.3, x.shape)


def integers(key, x):
    return jax.random.randint(key, x.shape, 0, 100), jax.random.categorical(key, x)


def keys(key, x):
    a, b = jax.random.split(jax.random.fold_in(key, 3))
    return jax.random.uniform(a, x.shape) + jax.random.uniform(b, x.shape)


def dropout(key, x):
    return jnp.where(jax.random.bernoulli(key, 0.7, x.shape), x / 0.7, 0)


def special(x):
    return jax.scipy.special.erf(x), jax.scipy.special.gammaln(jnp.abs(x) + 1), jnp.sinc(x)


def polynomial(x):
    return jnp.polyval(jnp.array([1.0, 2.0, 3.0]), x), jnp.cross(x, x[:, ::-1])


def histogram(x):
    return jnp.histogram(x, bins=4, range=(-2.0, 2.0))[0], jnp.bincount(x[:, 0].astype(int) ** 2, length=9)


_add(arithmetic, _f("b, n"), _f("b, n"), sizes=_BN)
_add(broadcast_between, _f("b, 3"), _f("n, 3"), sizes=_BN)
_add(repeat_to_shape, _f("n"), _f("b, n"), sizes=_BN)
_add(reshape_flat, _f("b, n, 3"), sizes=_BN)
_add(transpose_swap, _f("b, n"), sizes=_BN)
_add(concatenate_halves, _f("b, 3"), _f("n, 3"), sizes=_BN)
_add(slice_ends, _f("n + 1, 3"), sizes=_N)
_add(pad_sides, _f("n, b"), sizes=_BN)
_add(pad_modes, _f("n + 1, 3"), sizes=_N)
_add(roll_flip, _f("b, n"), sizes=_BN)
_add(tile_repeat, _f("n, 2"), sizes=_N)
_add(iota_eye, _f("n, 2"), sizes=_N)
_add(linspace_mesh, _f("n, 2"), sizes=_N)
_add(bits, _f("b, n"), sizes=_BN)
_add(sizes_as_values, _f("b, n"), sizes=_BN)
_add(dimension_arithmetic, _f("n, 1"), sizes=_N)
_add(reductions, _f("b, n"), sizes=_BN)
_add(statistics, _f("b + 2, n"), sizes=_BN, ulps=64)
_add(arguments_of_extremes, _f("b, n"), sizes=_BN)
_add(logsumexp, _f("b, n"), sizes=_BN)
_add(cumulative, _f("b, n"), sizes=_BN)
_add(windows, _f("b, n"), sizes=_BN)
_add(pooling, _f("b, 8, 6, 2"), sizes=({"b": 1}, {"b": 3}))
_add(pooling, _f("b, n + 3, n + 2, 2"), sizes=_BN, tag="space")
_add(pooling_gradient, _f("b, 8, 6, 2"), sizes=({"b": 1}, {"b": 3}))
_add(pooling_gradient, _f("b, 2*n, 2*n, 2"), sizes=_BN, tag="space")
_add(einsums, _f("b, n, 3"), _f("b, 3, 4"), sizes=_BN)
_add(matmul, _f("b, n"), _f("n, 5"), sizes=_BN)
_MLP = (_f("b, n"), _f("n, 8"), _f("8"), _f("8, 3"), _f("3"))
_add(mlp, *_MLP, sizes=_BN, ulps=64)
_add(mlp_gradient, *_MLP, sizes=_BN, ulps=128)
_ATTENTION = (_f("b, n, 4"), _f("4, 4"), _f("4, 4"), _f("4, 4"))
_add(attention, *_ATTENTION, sizes=_BN, ulps=64)
_add(attention_gradient, *_ATTENTION, sizes=_BN, ulps=128)
_add(layer_norm, _f("b, n, 6"), _f("6"), _f("6"), sizes=_BN, ulps=64)
_add(embedding, _i("b, n", lo=0, hi=9), _f("9, 4"), sizes=_BN)
_add(embedding_gradient, _i("b, n", lo=0, hi=9), _f("9, 4"), sizes=_BN)
_add(convolution, _f("b, 6, 5, 2"), _f("3, 2, 2, 4"), sizes=({"b": 1}, {"b": 3}))
_add(convolution, _f("b, n + 2, n + 1, 2"), _f("3, 2, 2, 4"), sizes=_BN, tag="space")
_add(convolution_strided, _f("b, n + 4, n + 3, 2"), _f("3, 2, 2, 4"), sizes=_BN)
_add(convolution_valid, _f("b, n + 4, n + 3, 2"), _f("3, 2, 2, 4"), sizes=_BN)
_add(convolution_gradient, _f("b, 6, 5, 2"), _f("3, 2, 2, 4"), sizes=({"b": 1}, {"b": 3}), ulps=64)
_add(network, _f("b, n + 2, n + 2, 3"), _f("3, 3, 3, 4"), _f("4, 5"), sizes=_BN, ulps=64)
_add(sorts, _f("b, n"), sizes=_BN)
_add(sort_pairs, _f("n, 3"), _i("n, 3"), sizes=_N)
_add(top_k, _f("b, n + 1"), sizes=_BN)
_add(gathers, _f("n, 3"), _i("n", lo=0, hi=2), sizes=_N)
_add(gather_rows, _f("n, 3"), _i("b", lo=0, hi=2), sizes=_BN)
_add(scatters, _f("n + 2, 3"), _i("b", lo=0, hi=3), _f("b, 3"), sizes=_BN)
_add(segment_sum, _f("n, 3"), _i("n", lo=0, hi=4), sizes=_N)
_add(one_hot, _i("b, n", lo=0, hi=5), sizes=_BN)
_add(dynamic_slices, _f("n, 3"), _i("1", lo=0, hi=2), sizes=_N)
_add(select_and_clip, _f("b, n"), sizes=_BN)
_add(lexicographic, _f("n + 1, 3"), sizes=_N)
_add(diagonals, _f("n, n"), sizes=_N)
_add(while_rows, _f("n, 3"), sizes=_N)
_add(for_rows, _f("n, 3"), sizes=_N)
_add(scan_rows, _f("n, 4"), _f("4, 4"), sizes=_N, ulps=64)
_add(scan_gradient, _f("n, 4"), _f("4, 4"), sizes=_N, ulps=128)
_add(scan_batch, _f("n, b, 4"), _f("4, 4"), sizes=_BN, ulps=64)
_add(conditional, _f("n, 3"), _i("1"), sizes=_N)
_add(switch, _f("n, 3"), _i("1", lo=0, hi=3), sizes=_N)
_add(associative, _f("n, 8"), sizes=_N)
_add(map_rows, _f("n, 3"), sizes=_N)
_add(mapped, _f("b, n"), _f("b, n"), sizes=_BN)
_add(nested_calls, _f("b, n"), sizes=_BN)
_add(checkpointed, _f("b, n"), sizes=_BN)
_add(cholesky, _f("b, 4, 4"), sizes=({"b": 1}, {"b": 3}))
_add(cholesky, _f("b, n, n"), sizes=_BN, tag="matrix", ulps=64)
_add(triangular, _f("b, n, n"), _f("b, n, 2"), sizes=_BN, ulps=64)
_add(qr, _f("b, n + 1, n"), sizes=_BN, ulps=64)
_add(svd, _f("b, n + 1, n"), sizes=_BN, ulps=128)
_add(eigh, _f("b, n, n"), sizes=_BN, ulps=128)
_add(lu_solve, _f("b, n, n"), _f("b, n, 2"), sizes=_BN, ulps=128)
_add(determinant, _f("b, 3, 3"), sizes=({"b": 1}, {"b": 3}), ulps=128)
_add(fourier, _f("b, 8"), sizes=({"b": 1}, {"b": 3}), ulps=64)
_KEY = ("2", {"type": "uint32", "lo": 0, "hi": 2**32 - 1})
_add(uniform, _KEY, _f("b, n"), sizes=_BN)
_add(normal, _KEY, _f("b, n"), sizes=_BN)
_add(integers, _KEY, _f("b, n"), sizes=_BN)
_add(keys, _KEY, _f("b, n"), sizes=_BN)
_add(dropout, _KEY, _f("b, n"), sizes=_BN)
_add(special, _f("b, n"), sizes=_BN)
_add(polynomial, _f("n + 1, 3"), sizes=_N, ulps=64)
_add(histogram, _f("n, 3"), sizes=_N)
