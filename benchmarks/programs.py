"""The public benchmark programs, written in JAX.

Each program is a function of arrays plus the specification of its inputs. `lower.py` writes them as
StableHLO text with a JSON description, so that sinter and its peers run the very same program.

A specification is (shape, element type, distribution). Distributions: "normal", "uniform" in [0, 1),
("int", low, high), "zeros", "ones", "iota", ("const", value).
`flops` and `bytes` state the least work that the mathematics needs (read every input once, write every
output once); they give the limit on a machine of known peak.
"""
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable

import jax
import jax.numpy as jnp
from jax import lax


@dataclass
class Program:
    name: str
    fn: Callable
    inputs: list
    flops: float = 0.0
    peak: str = "f32"          # which peak bounds `flops`
    bytes: float = 0.0
    why: str = ""
    numpy: Callable | None = None   # the same in NumPy, where a user would pick it
    torch: Callable | None = None   # the same in PyTorch
    donate: tuple = ()


ALL: list[Program] = []


def program(name, inputs, **kw):
    def wrap(fn):
        ALL.append(Program(name, fn, inputs, **kw))
        return fn
    return wrap


def n(*shape, t="float32", d="normal"):
    return (shape, t, d)


MB = 1e6

# --- elementwise and fusion -------------------------------------------------------------------------
program("axpy_16m", [n(), n(1 << 24), n(1 << 24)], bytes=3 * 4 * (1 << 24),
        why="the first program of all",
        numpy=lambda np, a, x, y: a * x + y, torch=lambda th, a, x, y: a * x + y)(lambda a, x, y: a * x + y)
program("axpy_16", [n(), n(16), n(16)], why="dispatch cost of one call")(lambda a, x, y: a * x + y)
program("fused_sum_16m", [n(1 << 24)] * 3, bytes=3 * 4 * (1 << 24), why="reduce_sum(x + y*z) must be one kernel",
        numpy=lambda np, x, y, z: np.sum(x + y * z), torch=lambda th, x, y, z: (x + y * z).sum())(
    lambda x, y, z: jnp.sum(x + y * z))


@program("unary_chain_16m", [n(1 << 24)], bytes=2 * 4 * (1 << 24), why="transcendental chain in one pass")
def unary_chain(x):
    return jnp.tanh(jnp.exp(-x * x) * jnp.sin(x) + jnp.log1p(jnp.abs(x)))


program("gelu_tanh_4m", [n(4096, 1024)], bytes=2 * 4 * 4096 * 1024)(lambda x: jax.nn.gelu(x, approximate=True))
program("transpose_8192", [n(8192, 8192)], bytes=2 * 4 * 8192 * 8192,
        numpy=lambda np, x: np.ascontiguousarray(x.T), torch=lambda th, x: x.t().contiguous())(lambda x: x.T)
program("transpose_0213_bf16", [n(32, 128, 12, 64, t="bfloat16")], bytes=2 * 2 * 32 * 128 * 768)(
    lambda x: x.transpose(0, 2, 1, 3))
program("concat_slice_pad", [n(4096, 1000), n(4096, 1000)], bytes=4 * 4096 * (2000 + 2000))(
    lambda x, y: jnp.pad(jnp.concatenate([x[:, ::2], y[:, 1::2], x[:, 500:]], 1), ((0, 0), (0, 500))) * 2)


@program("black_scholes_4m", [n(1 << 22, d="uniform")] * 3, bytes=5 * 4 * (1 << 22), why="erf, log, exp, sqrt chain")
def black_scholes(s, k, t):
    s, k, t = s * 90 + 10, k * 90 + 10, t + .1
    sig, r = .3, .02
    d1 = (jnp.log(s / k) + (r + sig * sig / 2) * t) / (sig * jnp.sqrt(t))
    d2 = d1 - sig * jnp.sqrt(t)
    cdf = lambda v: .5 * (1 + jax.scipy.special.erf(v / jnp.sqrt(2.)))
    call = s * cdf(d1) - k * jnp.exp(-r * t) * cdf(d2)
    return call, call - s + k * jnp.exp(-r * t)


# --- reductions --------------------------------------------------------------------------------------
program("softmax_4096x1024", [n(4096, 1024)], bytes=2 * 4 * 4096 * 1024,
        torch=lambda th, x: th.softmax(x, -1))(lambda x: jax.nn.softmax(x, -1))


@program("layernorm_4096x1024", [n(4096, 1024), n(1024), n(1024)], bytes=2 * 4 * 4096 * 1024,
         torch=lambda th, x, g, b: th.nn.functional.layer_norm(x, (1024,), g, b))
def layernorm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


program("sum_axis0_128", [n(128, 128, 128)], bytes=4 * 128 ** 3, numpy=lambda np, x: x.sum(0),
        torch=lambda th, x: x.sum(0))(lambda x: x.sum(0))
program("argmax_8192x1024", [n(8192, 1024)], bytes=4 * 8192 * 1024, torch=lambda th, x: x.argmax(-1))(
    lambda x: jnp.argmax(x, -1))
program("cumsum_u32", [n(65536, 1024, t="uint32", d=("int", 0, 9))], bytes=2 * 4 * 65536 * 1024,
        numpy=lambda np, x: np.cumsum(x, 1, dtype="uint32"))(lambda x: jnp.cumsum(x, 1))


@program("difference_regulariser", [n(256, 256, 256)], bytes=4 * 256 ** 3, why="slices feeding one reduction")
def difference_regulariser(x):
    return sum(jnp.sum(jnp.abs(lax.slice_in_dim(x, 1, None, axis=a) - lax.slice_in_dim(x, 0, -1, axis=a)))
               for a in range(3))


program("maxpool_112", [n(8, 112, 112, 64)], bytes=4 * 8 * 64 * (112 * 112 + 56 * 56))(
    lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"))

# --- dot and convolution -----------------------------------------------------------------------------
for t, m, pk in (("float32", 1024, "f32"), ("float64", 1000, "f64"), ("bfloat16", 1024, "bf16")):
    program(f"gemm_{pk}_{m}", [n(m, m, t=t), n(m, m, t=t)], flops=2 * m ** 3, peak=pk,
            numpy=(lambda np, a, b: a @ b) if pk != "bf16" else None, torch=lambda th, a, b: a @ b)(lambda a, b: a @ b)
program("gemm_s8_1024", [n(1024, 1024, t="int8", d=("int", -9, 9))] * 2, flops=2 * 1024 ** 3, peak="s8")(
    lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32))
for m in (64, 128, 256):
    program(f"gemm_f32_{m}", [n(m, m)] * 2, flops=2 * m ** 3, numpy=lambda np, a, b: a @ b,
            torch=lambda th, a, b: a @ b)(lambda a, b: a @ b)
program("batched_gemm_64", [n(1000, 64, 64)] * 2, flops=2000 * 64 ** 3, bytes=12 * 1000 * 64 * 64,
        torch=lambda th, a, b: a @ b)(lambda a, b: a @ b)
program("skinny_1e6x3x3", [n(1000000, 3), n(3, 3)], bytes=24e6, numpy=lambda np, a, b: a @ b,
        torch=lambda th, a, b: a @ b)(lambda a, b: a @ b)
program("gemv_4096", [n(4096, 4096), n(4096)], bytes=4 * 4096 ** 2, numpy=lambda np, a, b: a @ b,
        torch=lambda th, a, b: a @ b)(lambda a, b: a @ b)
program("dense_relu_1024", [n(1024, 1024), n(1024, 1024), n(1024)], flops=2 * 1024 ** 3,
        why="relu(matmul + bias) as one kernel", torch=lambda th, x, w, b: th.relu(x @ w + b))(
    lambda x, w, b: jax.nn.relu(x @ w + b))
program("gemm_tn_512", [n(512, 512)] * 2, flops=2 * 512 ** 3, torch=lambda th, a, b: a.t() @ b)(lambda a, b: a.T @ b)
conv = partial(lax.conv_general_dilated, dimension_numbers=("NHWC", "HWIO", "NHWC"))
program("conv3x3_56x64", [n(1, 56, 56, 64), n(3, 3, 64, 64)], flops=2 * 56 * 56 * 9 * 64 * 64)(
    lambda x, w: conv(x, w, (1, 1), "SAME"))
program("conv3x3_nchw", [n(1, 64, 56, 56), n(64, 64, 3, 3)], flops=2 * 56 * 56 * 9 * 64 * 64,
        torch=lambda th, x, w: th.nn.functional.conv2d(x, w, padding=1))(
    lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME"))
program("depthwise_124x256", [n(1, 124, 124, 256), n(3, 3, 1, 256)], bytes=2 * 4 * 124 * 124 * 256,
        flops=2 * 124 * 124 * 9 * 256)(lambda x, w: conv(x, w, (1, 1), "SAME", feature_group_count=256))
program("conv_transpose_64", [n(1, 32, 32, 128), n(4, 4, 128, 64)], flops=2 * 32 * 32 * 16 * 128 * 64)(
    lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
program("conv_large_kernel_300", [n(1, 300, 300, 1), n(31, 31, 1, 1)], flops=2 * 300 * 300 * 961,
        why="a cliff: 31x31 kernel")(lambda x, w: conv(x, w, (1, 1), "SAME"))
program("rows_8x4096", [n(8, 4096), n(4096, 4096)], flops=2 * 8 * 4096 ** 2, bytes=4 * 4096 ** 2,
        why="few rows: as fast as the weights are read")(lambda x, w: x @ w)
program("gram_100k_64", [n(100000, 64)], flops=2 * 100000 * 64 * 64, bytes=4 * 6.4e6,
        why="few results of long products")(lambda x: x.T @ x)
program("blur_15", [n(1, 256, 256, 1), n(15, 15, 1, 1)], flops=2 * 256 * 256 * 225)(
    lambda x, w: conv(x, w, (1, 1), "SAME"))


@program("conv_gradients", [n(8, 32, 32, 32), n(3, 3, 32, 64)], flops=3 * 2 * 8 * 32 * 32 * 9 * 32 * 64,
         why="a convolution, and those for its input and its kernel")
def conv_gradients(x, w):
    return jax.grad(lambda x, w: (conv(x, w, (1, 1), "SAME") ** 2).sum(), argnums=(0, 1))(x, w)


# --- data movement and irregular ---------------------------------------------------------------------
program("sort_1m", [n(1 << 20)], bytes=2 * 4 * (1 << 20), numpy=lambda np, x: np.sort(x),
        torch=lambda th, x: th.sort(x)[0])(lambda x: jnp.sort(x))
program("argsort_1m", [n(1 << 20)], bytes=2 * 4 * (1 << 20), numpy=lambda np, x: np.argsort(x),
        torch=lambda th, x: th.argsort(x))(lambda x: jnp.argsort(x))
program("topk_1m_64", [n(16, 65536)], bytes=4 * (1 << 20), torch=lambda th, x: th.topk(x, 64))(
    lambda x: lax.top_k(x, 64))
program("segment_sum_10m", [n(10_000_000), n(10_000_000, t="int32", d=("int", 0, 100000))], bytes=80e6)(
    lambda x, s: jax.ops.segment_sum(x, s, 100000))
program("histogram_16m", [n(1 << 24, t="int32", d=("int", 0, 256))], bytes=4 * (1 << 24),
        numpy=lambda np, x: np.bincount(x, minlength=256), torch=lambda th, x: th.bincount(x, minlength=256))(
    lambda x: jnp.bincount(x, length=256))
program("scatter_add_rows", [n(50000, 64), n(200000, t="int32", d=("int", 0, 50000)), n(200000, 64)],
        bytes=4 * 64 * (50000 * 2 + 200000), torch=lambda th, t, i, u: t.index_add(0, i, u))(
    lambda t, i, u: t.at[i].add(u))
program("embedding_grad", [n(30522, 768), n(32, 128, t="int32", d=("int", 0, 30522)), n(32, 128, 768)],
        bytes=4 * 768 * (4096 + 30522))(lambda t, i, u: jax.vjp(lambda t: t[i], t)[1](u)[0])
program("sort_rows_4096x1024", [n(4096, 1024)], bytes=2 * 4 * (1 << 22), numpy=lambda np, x: np.sort(x, -1),
        torch=lambda th, x: th.sort(x)[0])(lambda x: jnp.sort(x, -1))
program("sort_pairs_1m", [n(1 << 20, t="int32", d=("int", 0, 1 << 30)), n(1 << 20)], bytes=2 * 8 * (1 << 20))(
    lambda k, v: lax.sort((k, v), num_keys=1))
program("sort_two_keys_1m", [n(1 << 20, t="int32", d=("int", 0, 1000)), n(1 << 20)], bytes=2 * 8 * (1 << 20),
        numpy=lambda np, a, b: np.lexsort((b, a)))(lambda a, b: lax.sort((a, b), num_keys=2))
program("sort_f16_1m", [n(1 << 20, t="float16")], bytes=4 * (1 << 20), numpy=lambda np, x: np.sort(x),
        torch=lambda th, x: th.sort(x)[0])(lambda x: jnp.sort(x))
program("topk_vocabulary", [n(32, 50000)], bytes=4 * 32 * 50000, torch=lambda th, x: th.topk(x, 40))(
    lambda x: lax.top_k(x, 40))
program("approx_top_k", [n(64, 100000)], bytes=4 * 6400000)(lambda x: lax.approx_max_k(x, 10))
program("gather_rows_50k", [n(50000, 768), n(4096, t="int32", d=("int", 0, 50000))], bytes=2 * 4 * 4096 * 768)(
    lambda t, i: t[i])
program("threefry_16m", [n(2, t="uint32", d=("int", 0, 1 << 30))], bytes=4 * (1 << 24))(
    lambda k: jax.random.bits(jax.random.wrap_key_data(k), (1 << 24,)))
program("fft2_1024", [n(1024, 1024, t="complex64")], bytes=2 * 8 * (1 << 20), numpy=lambda np, x: np.fft.fft2(x),
        torch=lambda th, x: th.fft.fft2(x))(lambda x: jnp.fft.fft2(x))
program("inv3x3_100k", [n(100000, 3, 3)], bytes=2 * 36 * 1e5, numpy=lambda np, x: np.linalg.inv(x),
        why="a cliff: batched small linear algebra")(
    lambda x: jnp.linalg.solve(x + 4 * jnp.eye(3), jnp.broadcast_to(jnp.eye(3), x.shape)))
program("cholesky_512", [n(512, 512)], flops=512 ** 3 / 3 + 2 * 512 ** 3, numpy=lambda np, x: np.linalg.cholesky(
    x @ x.T + 512 * np.eye(512, dtype="float32")))(lambda x: lax.linalg.cholesky(x @ x.T + 512 * jnp.eye(512)))
program("solve_1024", [n(1024, 1024), n(1024, 16)], flops=2 / 3 * 1024 ** 3,
        numpy=lambda np, a, b: np.linalg.solve(a + 64 * np.eye(1024, dtype="float32"), b))(
    lambda a, b: jnp.linalg.solve(a + 64 * jnp.eye(1024), b))
program("triangular_solve_1024", [n(1024, 1024), n(1024, 1024)], flops=1024 ** 3)(
    lambda a, b: lax.linalg.triangular_solve(a + 64 * jnp.eye(1024), b, left_side=True, lower=True))
program("qr_1024x256", [n(1024, 256)], flops=4 * 256 ** 2 * (1024 - 256 / 3), numpy=lambda np, a: np.linalg.qr(a))(
    lambda a: jnp.linalg.qr(a))
program("batch_solve_10k_8", [n(10000, 8, 8), n(10000, 8)], bytes=4 * 10000 * 80, why="batched small linear algebra")(
    lambda a, b: jnp.linalg.solve(a + 8 * jnp.eye(8), b[..., None])[..., 0])
program("batch_cholesky_4k_16", [n(4000, 16, 16)], bytes=2 * 4 * 4000 * 256)(
    lambda a: lax.linalg.cholesky(a / 32 + 4 * jnp.eye(16)))
program("batch_qr_4k_16", [n(4000, 16, 16)], bytes=3 * 4 * 4000 * 256)(lambda a: jnp.linalg.qr(a + 16 * jnp.eye(16)))


# --- control flow ------------------------------------------------------------------------------------
@program("scan_scalar_1m", [n(), n()], why="cost of one loop step")
def scan_scalar(a, x):
    return lax.fori_loop(0, 1_000_000, lambda i, c: c * .999 + a, x)


@program("scan_rnn_1000x64", [n(64), n(64, 64), n(1000, 64)], flops=2000 * 64 * 64, why="small dot in a loop")
def scan_rnn(h, w, xs):
    w = w * .1  # of norm 1 and more, states are chaotic and no two compilers' agree
    return lax.scan(lambda h, x: ((y := jnp.tanh(h @ w + x)), y), h, xs)


@program("grad_scan_60", [n(60)], why="a cliff: gradient of a scan with 60 scalar carries")
def grad_scan(p):
    def loss(p):
        def step(c, _):
            c = tuple(jnp.sin(v) * .9 + p[i] for i, v in enumerate(c))
            return c, None
        out, _ = lax.scan(step, tuple(p[i] for i in range(60)), None, length=500)
        return sum(out)
    return jax.grad(loss)(p)


@program("dus_loop_100k", [n(100000), n(8)], why="a cliff: in-place update in a loop")
def dus_loop(buf, v):
    def body(i, b):
        start = (i * 7) % (100000 - 8)
        return lax.dynamic_update_slice(b, lax.dynamic_slice(b, (start,), (8,)) * .5 + v, (start,))
    return lax.fori_loop(0, 20000, body, buf)


@program("nbody_1024_10", [n(1024, 3), n(1024, 3)], flops=10 * 1024 * 1024 * 20, why="broadcasted pair terms in a loop")
def nbody(x, v):
    def step(i, s):
        x, v = s
        d = x[None] - x[:, None]
        r = lax.rsqrt((d * d).sum(-1) + .01)
        a = (d * (r * r * r)[..., None]).sum(1)
        v = v + 1e-3 * a
        return x + 1e-3 * v, v
    return lax.fori_loop(0, 10, step, (x, v))


@program("heat_512_100", [n(512, 512)], bytes=0, flops=100 * 512 * 512 * 6, why="stencil in a loop")
def heat(u):
    def step(i, u):
        inner = u[1:-1, 1:-1] + .1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        return u.at[1:-1, 1:-1].set(inner)
    return lax.fori_loop(0, 100, step, u)


@program("shared_producers_24", [n(64, 64), n(24, 64)], why="a cliff: shared producers recomputed per use")
def shared_producers(w, a):
    ts = [jnp.sin(a[i][:, None] * w) for i in range(24)]
    acc, out = ts[0], []
    for t in ts:
        acc = acc * jnp.cos(t) + jnp.roll(acc, 1, 0) * t
        out.append(acc.sum())
    return jnp.stack(out)


# --- models ------------------------------------------------------------------------------------------
def ln(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = jnp.var(x, -1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


def attention(q, k, v, mask=None):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** .5
    if mask is not None:
        s = jnp.where(mask, s, jnp.finfo(s.dtype).min)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1), v)


program("attention_h12_s1024", [n(1, 12, 1024, 64)] * 3, flops=4 * 12 * 1024 * 1024 * 64,
        torch=lambda th, q, k, v: th.nn.functional.scaled_dot_product_attention(q, k, v))(attention)


def encoder_weights(layers, h, f, t="float32"):
    return [w for _ in range(layers) for w in
            (n(h, 3 * h, t=t), n(3 * h, t=t), n(h, h, t=t), n(h, t=t), n(h, t=t, d="ones"), n(h, t=t, d="zeros"),
             n(h, f, t=t), n(f, t=t), n(f, h, t=t), n(h, t=t), n(h, t=t, d="ones"), n(h, t=t, d="zeros"))]


def encoder_layer(x, w, heads):
    wqkv, bqkv, wo, bo, g1, b1, wf, bf, wp, bp, g2, b2 = w
    B, S, H = x.shape
    q, k, v = jnp.split((x @ (wqkv * .02) + bqkv).reshape(B, S, 3 * heads, H // heads).transpose(0, 2, 1, 3), 3, 1)
    a = attention(q, k, v).transpose(0, 2, 1, 3).reshape(B, S, H)
    x = ln(x + a @ (wo * .02) + bo, g1, b1)
    return ln(x + jax.nn.gelu(x @ (wf * .02) + bf) @ (wp * .02) + bp, g2, b2)


def encoder(x, *w, heads=12):
    for i in range(0, len(w), 12):
        x = encoder_layer(x, w[i:i + 12], heads)
    return x


for pk, t in (("f32", "float32"), ("bf16", "bfloat16")):
    program(f"bert_base_s128_{pk}", [n(1, 128, 768, t=t)] + encoder_weights(12, 768, 3072, t),
            flops=12 * (2 * 128 * 768 * (4 * 768 + 2 * 3072) + 4 * 128 * 128 * 768), peak=pk,
            bytes=12 * 7.08e6 * (4 if pk == "f32" else 2))(encoder)


@program("bert_train_2l_32x128", [n(32, 128, t="int32", d=("int", 0, 30522)), n(32, t="int32", d=("int", 0, 2)),
                                   n(30522, 768), n(128, 768), n(768, 2)] + encoder_weights(2, 768, 3072),
         flops=3 * 2 * (2 * 4096 * 768 * (4 * 768 + 2 * 3072) + 4 * 32 * 128 * 128 * 768),
         why="2 layers, hidden 768, 12 heads, batch 32x128, SGD")
def bert_train(ids, label, emb, pos, head, *w):
    def loss(p):
        emb, pos, head, w = p
        x = encoder(emb[ids] * .02 + pos, *w)
        z = jax.nn.log_softmax(jnp.tanh(x[:, 0]) @ head)
        return -jnp.take_along_axis(z, label[:, None], 1).mean()
    p = (emb, pos, head, w)
    l, g = jax.value_and_grad(loss)(p)
    return l, jax.tree.map(lambda a, b: a - 1e-3 * b, p, g)


@program("gpt2_124m_decode", [n(1, t="int32", d=("int", 0, 50257)), n(t="int32", d=("const", 900)),
                               n(12, 2, 12, 1024, 64), n(50257, 768), n(1024, 768)] + encoder_weights(12, 768, 3072),
         bytes=4 * 124e6 + 12 * 2 * 768 * 900 * 4, why="one token with a KV cache of 1024 positions", donate=(2,))
def gpt2_decode(tok, at, cache, emb, pos, *w):
    x = emb[tok] * .02 + lax.dynamic_slice_in_dim(pos, at, 1)
    seen = (jnp.arange(1024) <= at)[None, None]
    for i in range(12):
        wqkv, bqkv, wo, bo, g1, b1, wf, bf, wp, bp, g2, b2 = w[12 * i:12 * i + 12]
        q, k, v = jnp.split(ln(x, g1, b1) @ (wqkv * .02) + bqkv, 3, -1)
        kv = jnp.stack([k.reshape(12, 1, 64), v.reshape(12, 1, 64)])[None]
        cache = lax.dynamic_update_slice(cache, kv, (i, 0, 0, at, 0))
        s = jnp.einsum("hqd,hkd->hqk", q.reshape(12, 1, 64), cache[i, 0]) / 8
        p = jax.nn.softmax(jnp.where(seen, s, -1e30), -1)
        a = jnp.einsum("hqk,hkd->hqd", p, cache[i, 1]).reshape(1, 768)
        x = x + a @ (wo * .02) + bo
        x = x + jax.nn.gelu(ln(x, g2, b2) @ (wf * .02) + bf) @ (wp * .02) + bp
    return x @ emb.T, cache


RESNET = [(3, 64, 256, 1), (4, 128, 512, 2), (6, 256, 1024, 2), (3, 512, 2048, 2)]


def resnet_weights():
    def cw(k, i, o):
        return [n(k, k, i, o), n(o, d="uniform"), n(o)]
    out, c = cw(7, 3, 64), 64
    for blocks, mid, width, _ in RESNET:
        for b in range(blocks):
            out += cw(1, c, mid) + cw(3, mid, mid) + cw(1, mid, width) + (cw(1, c, width) if b == 0 else [])
            c = width
    return out + [n(2048, 1000), n(1000)]


@program("resnet50_b1", [n(1, 224, 224, 3)] + resnet_weights(), flops=8.2e9, bytes=4 * 25.6e6)
def resnet50(x, *w):
    w = list(w)

    def cbr(x, s, act=True):
        k, g, b = w.pop(0), w.pop(0), w.pop(0)
        k = k * (2. / (k.shape[0] * k.shape[1] * k.shape[2])) ** .5
        x = conv(x, k, (s, s), "SAME") * g + b * .01
        return jax.nn.relu(x) if act else x
    x = cbr(x, 2)
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for blocks, _, _, stride in RESNET:
        for b in range(blocks):
            s = stride if b == 0 else 1
            y = cbr(cbr(cbr(x, 1), s), 1, act=False)
            x = jax.nn.relu(y + (cbr(x, s, act=False) if b == 0 else x))
    return x.mean((1, 2)) @ (w[0] * .02) + w[1]


MLP = [n(128, 784), n(128, t="int32", d=("int", 0, 10)), n(784, 512), n(512), n(512, 256), n(256), n(256, 10), n(10)]


@program("mlp_train_128", MLP, flops=6 * 128 * (784 * 512 + 512 * 256 + 256 * 10), why="a whole small training step")
def mlp_train(x, y, *w):
    def loss(w):
        h = x
        for i in range(0, 6, 2):
            h = h @ (w[i] * .05) + w[i + 1]
            h = jax.nn.relu(h) if i < 4 else h
        return -jnp.take_along_axis(jax.nn.log_softmax(h), y[:, None], 1).mean()
    l, g = jax.value_and_grad(loss)(w)
    return l, jax.tree.map(lambda a, b: a - .1 * b, w, g)


# --- arrays that several read, stencils, rows ----------------------------------------------------------
M = 1 << 20
program("mean_var_16m", [n(16 * M)], bytes=4 * 16 * M, why="two reductions of one array in one read")(
    lambda x: (x.mean(), (x * x).mean()))
program("minmax_4m", [n(4 * M)], bytes=4 * 4 * M, why="five reductions of one array in one read")(
    lambda x: (x.min(), x.max(), x.sum(), jnp.abs(x).max(), (x > 0).sum()))


@program("groupnorm_8x64", [n(8, 64, 64, 128)], bytes=2 * 4 * 8 * 64 * 64 * 128, why="what a mean is taken from twice")
def groupnorm(x):
    y = x.reshape(8, 4096, 8, 16)
    m, v = y.mean((1, 3), keepdims=True), y.var((1, 3), keepdims=True)
    return ((y - m) * lax.rsqrt(v + 1e-5)).reshape(x.shape)


@program("batchnorm_train_56", [n(32, 56, 56, 64), n(64), n(64)], bytes=3 * 4 * 32 * 56 * 56 * 64)
def batchnorm(x, g, b):
    m = x.mean((0, 1, 2))
    v = (x * x).mean((0, 1, 2)) - m * m
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b, m, v


@program("xent_512x32000", [n(512, 32000), n(512, t="int32", d=("int", 0, 32000))], bytes=4 * 512 * 32000)
def xent(z, y):
    return -jnp.take_along_axis(jax.nn.log_softmax(z), y[:, None], 1).mean()


@program("tv_4096", [n(4096, 4096)], bytes=4 * 16 * M, why="differences along two axes in one read")
def total_variation(x):
    return jnp.sum(jnp.abs(jnp.diff(x, axis=0))) + jnp.sum(jnp.abs(jnp.diff(x, axis=1)))


@program("heat_roll_1024_50", [n(1024, 1024)], flops=50 * 1024 * 1024 * 6, why="a periodic stencil in a loop")
def heat_roll(u):
    def step(i, u):
        return u + .1 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u)
    return lax.fori_loop(0, 50, step, u)


@program("shallow_water_256_50", [n(256, 256)] * 3, flops=50 * 256 * 256 * 36, why="stencils of a stencil's results, three fields")
def shallow_water(h, u, v):
    def difference(a, axis):
        return .5 * (jnp.roll(a, -1, axis) - jnp.roll(a, 1, axis))

    def step(i, state):
        h, u, v = state
        u1 = u - .001 * (u * difference(u, 0) + v * difference(u, 1) + 9.8 * difference(h, 0))
        v1 = v - .001 * (u * difference(v, 0) + v * difference(v, 1) + 9.8 * difference(h, 1))
        return h - .001 * (difference(h * u1, 0) + difference(h * v1, 1)), u1, v1
    return lax.fori_loop(0, 50, step, (h, u, v))


@program("hash_rows_16x4096", [n(16, 4096, t="uint32", d=("int", 0, 1 << 30))], bytes=2 * 4 * 16 * 4096, flops=4 * 8 * 14 * 4096,
         why="rows of a stack that are computed from one another")
def hash_rows(x):
    def mix(v, k, n):
        v[k[0]] += v[k[1]]
        v[k[2]] ^= v[k[0]]
        v[k[2]] = v[k[2]] << n | v[k[2]] >> 32 - n

    v = list(x)
    for _ in range(4):
        for a in range(4):
            mix(v, (a, a + 4, a + 12), 16)
            mix(v, (a + 8, a + 12, a + 4), 12)
        for a in range(4):
            mix(v, (a, (a + 1) % 4 + 4, (a + 3) % 4 + 12), 8)
            mix(v, ((a + 2) % 4 + 8, (a + 3) % 4 + 12, (a + 1) % 4 + 4), 7)
    return jnp.stack(v)


program("components_first_4", [n(4, 4, 30000), n(4, 4, 30000)], bytes=3 * 4 * 16 * 30000, flops=2 * 64 * 30000,
        why="small matrices whose components are far apart")(
    lambda x, y: jnp.einsum("ijn,jkn->ikn", x, y))


@program("features_20000_16", [n(20000), n(20000), n(16, 3)], bytes=4 * 5 * 20000, flops=20000 * (2 * 48 + 30),
         why="features that are stacked, times a matrix")
def features(x, y, w):
    powers = [x**i * y**j for i in range(4) for j in range(4)]
    return jnp.stack(powers, -1) @ w


program("conv3x3_to_3", [n(2, 64, 64, 32), n(3, 3, 32, 3)], bytes=4 * (2 * 64 * 64 * 35), flops=2 * 2 * 64 * 64 * 9 * 32 * 3,
        why="a convolution to the channels of an image")(
    lambda x, w: conv(x, w, (1, 1), "SAME"))


@program("column_statistics_4000x32", [n(4000, 32)], bytes=4 * 4000 * 32, flops=6 * 4000 * 32,
         why="reductions of columns that are stacked along them")
def column_statistics(x):
    return jnp.stack([x.mean(0), (x * x).mean(0), x.max(0), x.min(0)], -1)


program("deviation_630k", [n(7, 300, 300)], bytes=4 * 7 * 300 * 300, flops=4 * 7 * 300 * 300,
        why="a reduction of the whole with what it was reduced to before")(
    lambda x: x.std())


program("column_deviations_100000x100", [n(100000, 100)], bytes=2 * 4 * 100000 * 100, flops=4 * 100000 * 100,
        why="reductions of long columns, of arrays larger than caches, with their means")(
    lambda x: x.std(0))


program("running_sums_40000x8", [n(40000, 8)], bytes=2 * 4 * 40000 * 8, flops=40000 * 8,
        why="scans of rows that are shorter than vectors")(
    lambda x: jnp.cumsum(x, -1))


@program("pair_distances_grad_256x10", [n(256, 10), n(256, 10)], flops=3 * 256 * 256 * (10 * 7 + 20),
         why="gradients of several sums over pairs")
def pair_distances_grad(x, y):
    def kernel(a, b):
        return jnp.exp(-((a[:, None] - b[None]) ** 2).sum(-1) / 2).mean()

    return jax.grad(lambda x: kernel(x, x) + kernel(y, y) - 2 * kernel(x, y))(x)


@program("conv_loop_256_50", [n(1, 256, 256, 1), n(3, 3, 1, 1)], flops=50 * 256 * 256 * 18, why="a small convolution in a loop")
def conv_loop(u, k):
    return lax.fori_loop(0, 50, lambda i, u: conv(u, k * .1, (1, 1), "SAME"), u)


@program("lorenz_4096_200", [n(4096, 3)], flops=200 * 4 * 4096 * 20, why="an integrator over [n, 3]")
def lorenz(s):
    def f(s):
        x, y, z = s[:, 0], s[:, 1], s[:, 2]
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], -1)

    def step(i, s):
        h = .001
        k1 = f(s)
        k2 = f(s + h / 2 * k1)
        k3 = f(s + h / 2 * k2)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(s + h * k3))
    return lax.fori_loop(0, 200, step, s)


program("ema_rows_2048", [n(2048, 1024), n(1024)], bytes=2 * 4 * 2 * M, why="a recurrence over rows")(
    lambda xs, h: lax.scan(lambda h, x: ((y := .9 * h + .1 * x), y), h, xs)[1])


@program("lstm_200x64", [n(64), n(64), n(64, 256), n(200, 256)], flops=2 * 200 * 64 * 256, why="long functions of small dots in a loop")
def lstm(h, c, w, xs):
    def step(state, x):
        h, c = state
        i, g, f, o = jnp.split(h @ (.1 * w) + x, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, (h, c), xs)[1]


@program("rope_pairs", [n(4, 1024, 16, 64), n(1024, 32), n(1024, 32)], bytes=2 * 4 * 4 * M, why="a minor axis of two")
def rope(x, c, s):
    a, b = x[..., ::2], x[..., 1::2]
    c, s = c[:, None], s[:, None]
    return jnp.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)


program("pixel_shuffle_1024", [n(4, 256, 256, 64)], bytes=2 * 4 * 16 * M)(
    lambda x: x.reshape(4, 256, 256, 4, 4, 4).transpose(0, 1, 3, 2, 4, 5).reshape(4, 1024, 1024, 4))


@program("maxpool_grad_112", [n(8, 112, 112, 64), n(8, 56, 56, 64)], bytes=4 * 8 * 64 * (2 * 112 * 112 + 56 * 56),
         why="windows that overlap select an element each")
def maxpool_grad(x, g):
    pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return jax.vjp(pool, x)[1](g)[0]


program("avgpool_nchw_112", [n(16, 64, 112, 112)], bytes=4 * 16 * 64 * 112 * 112 * 1.25)(
    lambda x: lax.reduce_window(x, 0., lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4)
program("concat3_minor_3", [n(512, 512, 3)] * 3, bytes=2 * 4 * 3 * 3 * 512 * 512)(
    lambda *a: jnp.concatenate(a, 2))
program("roll_minor_8m", [n(4096, 2048)], bytes=2 * 4 * 8 * M)(lambda x: jnp.roll(x, 77, 1))
program("transpose_u8_4096", [n(4096, 4096, t="uint8", d=("int", 0, 99))], bytes=2 * 16 * M)(lambda x: x.T)
program("dropout_4m", [n(4 * M), n(2, t="uint32", d=("int", 0, 1 << 30))], bytes=2 * 4 * 4 * M)(
    lambda x, k: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), .9, x.shape), x / .9, 0.))

# --- compile time ------------------------------------------------------------------------------------
@program("compile_chain_2000", [n(1024)], why="compile time: 2,000 distinct elementwise operations in a line")
def chain(x):
    # No step moves values further apart, so that errors of rounding stay what they are.
    for i in range(1000):
        x = jnp.sin(x) * (1 - i * 1e-4) if i % 2 else jnp.maximum(x, -1.) + i * 1e-3
    return x


@program("compile_wide_500", [n(500, 256)], why="compile time: 500 independent reductions")
def wide(x):
    return jnp.stack([(x[i] * (i + 1.)).sum() for i in range(500)])
