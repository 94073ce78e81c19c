"""Programs as people write them: small models in plain jax.numpy, forward and with gradients.

Each public function here is a model: arrays to a result. `_model` makes of it cases in several
element types, of the result and of the gradients of a loss by every floating-point argument.
"""
import sys

import jax
import jax.numpy as jnp
from jax import lax

from harness import A, Table

T = Table(sys.modules[__name__], "models")
_TYPES = ("float32", "bfloat16", "float16")
# A CPU keeps what is between fused operations in f32, or rounds it, as it fuses: gradients of
# narrow floats drift by a few units in the last place of their largest element.
_ULPS = {"float32": 64, "float64": 256, "bfloat16": 10, "float16": 20}


def _weights(*shape, size=0.5):
    return A(shape, lo=-size, hi=size)


def _model(function, *arguments, types=_TYPES, gradients=True, **options):
    """A type in `types` takes the place of float32 arguments."""
    for type in types:
        chosen = tuple(A(a.shape, type if a.type == "float32" else a.type, a.lo, a.hi, a.make)
                       for a in arguments)
        options.setdefault("ulps", None)
        rest = {**options, "sums": True, "ulps": options["ulps"] or _ULPS[type]}
        T.add(function.__name__, *chosen, call=function, tag=f"forward.{type}", **rest)
        if not gradients:
            continue
        floats = tuple(i for i, a in enumerate(chosen) if "float" in a.type)

        def loss(*arrays, f=function):
            return sum(jnp.sum(jnp.sin(y.astype(jnp.promote_types(y.dtype, "float32"))))
                       for y in jax.tree.leaves(f(*arrays)))

        T.add(function.__name__, *chosen, call=jax.grad(loss, floats),
              tag=f"gradient.{type}", **rest)


def _layer_norm(x, scale, bias):
    mean = jnp.mean(x, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5) * scale + bias


def _attention(q, k, v, mask):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    scores = jnp.where(mask, scores, jnp.finfo(scores.dtype).min)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


def transformer(tokens, table, qkv, out, up, down, scales, biases):
    x = table[tokens] + table[jnp.arange(tokens.shape[1])]
    mask = jnp.tril(jnp.ones((tokens.shape[1],) * 2, bool))
    for layer in range(2):
        y = _layer_norm(x, scales[layer, 0], biases[layer, 0])
        q, k, v = jnp.moveaxis((y @ qkv[layer]).reshape(*y.shape[:2], 3, 4, -1), 2, 0)
        x = x + _attention(q, k, v, mask).reshape(x.shape) @ out[layer]
        y = _layer_norm(x, scales[layer, 1], biases[layer, 1])
        x = x + jax.nn.gelu(y @ up[layer]) @ down[layer]
    return jax.nn.log_softmax(x @ table.T)


_model(transformer, A((2, 12), "int32", lo=0, hi=50), _weights(50, 32, size=0.2),
       _weights(2, 32, 96, size=0.2), _weights(2, 32, 32, size=0.2), _weights(2, 32, 64, size=0.2),
       _weights(2, 64, 32, size=0.2), A((2, 2, 32), lo=0.5, hi=1.5), _weights(2, 2, 32))


def _rotate(x, position):
    angle = position[..., None] / 100 ** (jnp.arange(x.shape[-1] // 2) / (x.shape[-1] // 2))
    sin, cos = (f(angle)[:, None, :].astype(x.dtype) for f in (jnp.sin, jnp.cos))
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def decoder(x, keys, values, position, w):
    """Four steps of generation with rotary positions and a cache that is written in place."""
    def step(state, _):
        x, keys, values, position = state
        h = x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)
        q, k, v = jnp.moveaxis((h @ w).reshape(h.shape[0], 3, 2, 8), 1, 0)
        where = jnp.full((h.shape[0],), position)
        q, k = _rotate(q, where), _rotate(k, where)
        keys = lax.dynamic_update_slice(keys, k[:, None], (0, position, 0, 0))
        values = lax.dynamic_update_slice(values, v[:, None], (0, position, 0, 0))
        mask = jnp.arange(keys.shape[1]) <= position
        x = jnp.tanh(x + _attention(q[:, None], keys, values, mask).reshape(x.shape))
        return (x, keys, values, position + 1), x
    return lax.scan(step, (x, keys, values, position), length=4)


_model(decoder, A((3, 16)), A((3, 10, 2, 8)), A((3, 10, 2, 8)), A((), "int32", lo=2, hi=5),
       _weights(16, 48))


def _convolve(x, kernel, stride=1):
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _batch_norm(x, scale, bias):
    mean, var = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
    return (x - mean) * lax.rsqrt(var + 1e-3) * scale + bias


def resnet(x, first, second, shortcut, scales, biases):
    y = jax.nn.relu(_batch_norm(_convolve(x, first, 2), scales[0], biases[0]))
    y = _batch_norm(_convolve(y, second), scales[1], biases[1])
    y = jax.nn.relu(y + _convolve(x, shortcut, 2))
    y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return jnp.mean(y, (1, 2))


_model(resnet, A((2, 16, 16, 4)), _weights(3, 3, 4, 8), _weights(3, 3, 8, 8), _weights(1, 1, 4, 8),
       A((2, 8), lo=0.5, hi=1.5), _weights(2, 8))


def mobile(x, depthwise, pointwise, squeeze, excite):
    y = jax.nn.hard_swish(lax.conv_general_dilated(
        x, depthwise, (1, 1), "SAME", rhs_dilation=(2, 2), feature_group_count=x.shape[-1],
        dimension_numbers=("NHWC", "HWIO", "NHWC")))
    gate = jax.nn.relu6(jnp.mean(y, (1, 2)) @ squeeze) @ excite
    return jax.nn.hard_sigmoid(gate)[:, None, None] * y @ pointwise


_model(mobile, A((2, 9, 9, 6)), _weights(3, 3, 1, 6), _weights(6, 10), _weights(6, 3),
       _weights(3, 6))


def lstm(x, start, wx, wh, bias):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ wx + h @ wh + bias, 4, axis=-1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, (start, start), x)


_model(lstm, A((7, 3, 5)), A((3, 8)), _weights(5, 32), _weights(8, 32), _weights(32))


def gru(x, lengths, w, u):
    """Sequences of several lengths, both ways."""
    def run(x, reverse):
        def step(h, xt):
            x, t = xt
            z, r, n = jnp.split(x @ w, 3, -1)
            uz, ur, un = jnp.split(h @ u, 3, -1)
            z, r = jax.nn.sigmoid(z + uz), jax.nn.sigmoid(r + ur)
            new = (1 - z) * jnp.tanh(n + r * un) + z * h
            return (jnp.where((t < lengths)[:, None], new, h),) * 2
        start = jnp.zeros((x.shape[1], u.shape[0]), x.dtype)
        return lax.scan(step, start, (x, jnp.arange(x.shape[0])), reverse=reverse)[1]
    return jnp.concatenate([run(x, False), run(x, True)], -1)


_model(gru, A((6, 3, 4)), A((3,), "int32", lo=1, hi=7), _weights(4, 15), _weights(5, 15))


def _group_norm(x, groups=4):
    y = x.reshape(*x.shape[:3], groups, -1)
    mean = jnp.mean(y, (1, 2, 4), keepdims=True)
    return ((y - mean) * lax.rsqrt(jnp.var(y, (1, 2, 4), keepdims=True) + 1e-5)).reshape(x.shape)


def unet(x, time, enter, embed, down, attend, up, leave):
    frequencies = jnp.exp(-jnp.arange(4) * 2.0).astype(x.dtype)
    angles = time[:, None] * frequencies
    t = jax.nn.silu(jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1) @ embed)
    a = _convolve(x, enter)
    b = _convolve(jax.nn.silu(_group_norm(a) + t[:, None, None]), down, 2)
    flat = _group_norm(b).reshape(b.shape[0], -1, b.shape[-1])
    q, k, v = jnp.split((flat @ attend)[:, :, None], 3, -1)
    b = b + _attention(q, k, v, True).reshape(b.shape)
    c = jax.image.resize(b, a.shape, "nearest") + lax.conv_transpose(b, up, (2, 2), "SAME")
    return _convolve(jax.nn.silu(_group_norm(jnp.concatenate([a, c], -1))), leave)


_model(unet, A((2, 8, 8, 3)), A((2,), lo=0, hi=9), _weights(3, 3, 3, 8), _weights(8, 8),
       _weights(3, 3, 8, 8), _weights(8, 24), _weights(2, 2, 8, 8), _weights(3, 3, 16, 3))


def experts(x, choice, up, down):
    """Two of four experts a token. The router looks at integers, so that all types choose alike."""
    weights, chosen = lax.top_k(choice, 2)
    weights = jax.nn.softmax(weights.astype(x.dtype) / 8, axis=-1)
    order = jnp.argsort(chosen.reshape(-1), stable=True)
    sizes = jnp.bincount(chosen.reshape(-1), length=up.shape[0])
    y = jax.nn.silu(lax.ragged_dot(x[order // 2], up, sizes))
    y = lax.ragged_dot(y, down, sizes) * weights.reshape(-1)[order][:, None]
    return jnp.zeros_like(x).at[order // 2].add(y)


_model(experts, A((10, 8)), A((10, 4), "int32", lo=0, hi=30), _weights(4, 8, 12),
       _weights(4, 12, 8))


def recurrence(x, a, b, c):
    """A selective state space: a linear recurrence, by a scan that is associative."""
    decay = jax.nn.sigmoid(x @ a)[..., None]
    step = (x @ b)[..., None] * x[:, None, :]
    def combine(l, r):
        return r[0] * l[0], r[0] * l[1] + r[1]
    states = lax.associative_scan(combine, (jnp.broadcast_to(decay, step.shape), step))[1]
    return jnp.einsum("tsd,s->td", states, c)


_model(recurrence, A((13, 6), lo=-1, hi=1), _weights(6, 5), _weights(6, 5), _weights(5))


def messages(nodes, edges, w, v):
    """Attention over the edges of a graph."""
    source, target = edges
    h = nodes @ w
    score = jax.nn.leaky_relu((h[source] * h[target]) @ v)
    peak = jax.ops.segment_max(score, target, nodes.shape[0])
    weight = jnp.exp(score - peak[target])
    total = jax.ops.segment_sum(weight, target, nodes.shape[0])
    return jax.ops.segment_sum(h[source] * (weight / total[target])[:, None], target,
                               nodes.shape[0])


_model(messages, A((9, 5)), A((2, 30), "int32", lo=0, hi=9), _weights(5, 6), _weights(6))


def training(x, y, w1, w2):
    """Three steps of Adam on a network that recomputes its first layer."""
    def loss(parameters):
        hidden = jax.checkpoint(lambda x, w: jnp.tanh(x @ w))(x, parameters[0])
        return jnp.mean((hidden @ parameters[1] - y) ** 2)
    def step(state, i):
        p, m, v = state
        value, g = jax.value_and_grad(loss)(p)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
        rate = (0.01 * (1 - 0.99 ** (i + 1)) ** 0.5 / (1 - 0.9 ** (i + 1))).astype(x.dtype)
        p = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-3), p, m, v)
        return (p, m, v), value
    zero = jax.tree.map(jnp.zeros_like, (w1, w2))
    return lax.scan(step, ((w1, w2), zero, zero), jnp.arange(3.0))


_model(training, A((16, 6)), A((16, 2)), _weights(6, 9), _weights(9, 2), types=("float32",))


def gaussian(x, y, new, scale):
    """Regression by a Gaussian process: a kernel matrix, its factor, and triangular solves."""
    def kernel(a, b):
        return jnp.exp(-scale * jnp.sum((a[:, None] - b[None]) ** 2, -1))
    factor = jax.scipy.linalg.cholesky(kernel(x, x) + jnp.eye(x.shape[0]), lower=True)
    weights = jax.scipy.linalg.cho_solve((factor, True), y)
    half = jax.scipy.linalg.solve_triangular(factor, kernel(x, new), lower=True)
    return kernel(new, x) @ weights, 1 - jnp.sum(half * half, 0)


_model(gaussian, A((8, 3)), A((8,)), A((5, 3)), A((), lo=0.2, hi=1), types=("float32", "float64"))


def solves(a, b):
    """Batches of linear algebra under vmap."""
    def one(a, b):
        a = a @ a.T + 3 * jnp.eye(a.shape[0], dtype=a.dtype)
        return (jnp.linalg.solve(a, b), jnp.linalg.slogdet(a)[1], jnp.linalg.eigvalsh(a),
                jnp.linalg.inv(a), jnp.linalg.svd(a, compute_uv=False))
    return jax.vmap(one)(a, b)


_model(solves, A((3, 5, 5)), A((3, 5, 2)), types=("float32", "float64"), ulps=512)


def spectral(x, weights):
    """A Fourier layer: the lowest modes of a signal, mixed between channels."""
    modes = jnp.fft.rfft(x, axis=1)[:, :weights.shape[0]]
    mixed = jnp.einsum("bmi,mio->bmo", modes, weights.astype(modes.dtype))
    return jnp.fft.irfft(mixed, x.shape[1], axis=1)


_model(spectral, A((2, 20, 3)), _weights(6, 3, 3), types=("float32", "float64"))


def quantized(x, w, scale):
    """Rows quantized to 8 bits, products summed up as integers. Not smooth: a rounding away, rows
    differ."""
    peak = jnp.max(jnp.abs(x), -1, keepdims=True)
    q = jnp.round(x.astype(jnp.float32) / peak.astype(jnp.float32) * 127).astype(jnp.int8)
    sums = lax.dot(q, w, preferred_element_type=jnp.int32)
    return sums.astype(jnp.float32) * peak * scale


_model(quantized, A((6, 32)), A((32, 8), "int8", lo=-127, hi=128), A((8,), lo=0, hi=1),
       gradients=False)


def curvature(x, w):
    """Derivatives of derivatives: forward over reverse, and a Jacobian."""
    def f(x):
        return jnp.sum(jax.nn.softplus(x @ w) ** 2)
    return jax.hessian(f)(x), jax.jacrev(jax.grad(f))(x), jax.jvp(jax.grad(f), (x,), (x,))[1]


_model(curvature, A((5,)), _weights(5, 4), gradients=False, types=("float32", "float64"))


def sampler(key, x, w):
    """A variational autoencoder's middle: random numbers inside of the program."""
    k1, k2, k3 = jax.random.split(key, 3)
    mean, spread = jnp.split(x @ w, 2, -1)
    z = mean + jnp.exp(spread) * jax.random.normal(k1, mean.shape, x.dtype)
    kept = jax.random.bernoulli(k2, 0.8, z.shape)
    return jnp.where(kept, z / 0.8, 0), jax.random.permutation(k3, x)


_model(sampler, A((2,), "uint32", lo=0, hi=2**32), A((6, 4)), _weights(4, 6))


def search(x, w):
    """Newton's method until it has converged, in a loop of unknown length, under vmap."""
    def root(target):
        def body(state):
            y, _, n = state
            f, slope = jax.value_and_grad(lambda y: y + jnp.sum(jnp.tanh(w) * jnp.sin(y) / 9))(y)
            return y - (f - target) / slope, jnp.abs(f - target), n + 1
        return lax.while_loop(lambda s: (s[1] > 1e-4) & (s[2] < 50), body,
                              (target, jnp.full_like(target, jnp.inf), 0))[0]
    return jax.vmap(root)(x)


_model(search, A((7,)), _weights(4), gradients=False, types=("float32", "float64"))


def patches(x, table, w):
    """Images cut into patches, bilinear resizing, and logits of the nearest of a table."""
    small = jax.image.resize(x, (2, 8, 8, 3), "bilinear")
    cut = lax.conv_general_dilated_patches(small, (4, 4), (4, 4), "VALID",
                                           dimension_numbers=("NHWC", "HWIO", "NHWC"))
    h = cut.reshape(2, 4, -1) @ w
    distance = jnp.sum((h[:, :, None] - table) ** 2, -1)
    return jax.nn.log_softmax(-distance / 8), jnp.max(h, 1)


_model(patches, A((2, 13, 11, 3)), _weights(6, 5), _weights(48, 5, size=0.1))
