"""Programs whose HLO text XLA prints: one of each kind of construct."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    function: object
    arguments: tuple
    ulps: float = 64
    text_only: bool = False  # read and printed, not run: it takes several devices
    calls_kernels: bool = False  # optimised for the CPU it calls code that only XLA has


def floats(*shape, seed=0, type=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(type)


def positive(n):
    x = floats(n, n)
    return x @ x.T + n * np.eye(n, dtype=np.float32)


def convolution(x, k, **options):
    return lax.conv_general_dilated(x, k, options.pop("strides", (1, 1)),
                                    options.pop("padding", "SAME"),
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def collective(function, output):
    def run(x):
        mesh = Mesh(np.array(jax.devices()[:4]), ("i",))
        return jax.shard_map(function, mesh=mesh, in_specs=PartitionSpec("i"), out_specs=output,
                             check_vma=False)(x)
    return run


@functools.partial(jax.named_call, name="scope")
def scoped(x):
    return jnp.tanh(x) * 2


def layers(x, w):
    def loss(w):
        for i in range(3):
            x_ = jax.nn.gelu(x @ w[i])
        return jnp.mean(jnp.square(jax.nn.softmax(x_)))
    return jax.value_and_grad(loss)(w)


def all_programs():
    x, y, v = floats(6, 8), floats(8, 5, seed=1), floats(16)
    image, kernel = floats(2, 8, 8, 3), floats(3, 3, 3, 4, seed=1)
    whole, spread = PartitionSpec(), PartitionSpec("i")
    one = [
        ("elementwise", lambda x: jnp.sin(x) + jnp.exp(-x * x) / (1 + jnp.abs(x)), (x,)),
        ("arc_tangent", lambda x: jnp.arctan(x) + jnp.arctan2(x, 2.0), (x,)),
        ("scope", scoped, (x,)),
        ("softmax", lambda x: jax.nn.softmax(x), (x,)),
        ("layer_norm", lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), (x,)),
        ("bf16", lambda x: (x.astype(jnp.bfloat16) * 3).astype(jnp.float32), (x,), {"ulps": 65536}),  # XLA keeps more digits between
        ("f16", lambda x: x.astype(jnp.float16).sum(), (x,), {"ulps": 4096}),
        ("integers", lambda x: (x.astype(jnp.int32) // 3) ^ 5, (x * 100,)),
        ("population", lambda x: lax.population_count(x) + lax.clz(x), (np.arange(9, dtype=np.uint32),)),
        ("complex", lambda x: jnp.abs(lax.complex(x, -x) * 2j), (x,)),
        ("bits", lambda x: lax.bitcast_convert_type(x, jnp.int32) & 255, (x,)),
        ("concatenate", lambda x: jnp.concatenate([x, x[:, ::-1], jnp.pad(x, ((1, 2), (0, 0)))]), (x,)),
        ("transpose", lambda x: jnp.transpose(x.reshape(2, 3, 8), (2, 0, 1)), (x,)),
        ("slices", lambda x: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (1, 2), (2, 3)), (3, 4)), (x,)),
        ("gather", lambda x: x[jnp.array([3, 1, 1]), jnp.array([0, 2, 7])], (x,)),
        ("take", lambda x: jnp.take(x, jnp.array([2, 0, 5]), axis=0), (x,)),
        ("scatter_add", lambda x: x.at[jnp.array([1, 1, 4])].add(2.0), (x,)),
        ("scatter_set", lambda x: x.at[jnp.array([0, 5]), 3].set(7.0), (x,)),
        ("segment_sum", lambda x: jax.ops.segment_sum(x, jnp.array([0, 2, 0, 1, 2, 2]), 3), (x,)),
        ("dot", lambda a, b: a @ b, (x, y), {"calls_kernels": True}),
        ("einsum", lambda a: jnp.einsum("abc,abd->acd", a.reshape(2, 3, 8), a.reshape(2, 3, 8)), (x,), {"calls_kernels": True}),
        ("layers", layers, (floats(4, 8), floats(3, 8, 8)), {"ulps": 4096, "calls_kernels": True}),
        ("convolution", convolution, (image, kernel), {"ulps": 1024, "calls_kernels": True}),
        ("convolution_strides", functools.partial(convolution, strides=(2, 2), padding="VALID"), (image, kernel), {"ulps": 1024, "calls_kernels": True}),
        ("convolution_dilated", functools.partial(convolution, lhs_dilation=(2, 1), rhs_dilation=(1, 2), padding=((1, 1), (2, 2))), (image, kernel), {"ulps": 1024, "calls_kernels": True}),
        ("convolution_groups", functools.partial(convolution, feature_group_count=3), (image, floats(3, 3, 1, 6)), {"ulps": 1024, "calls_kernels": True}),
        ("pool", pool, (image,)),
        ("pool_gradient", lambda x: jax.grad(lambda x: pool(x).sum())(x), (image,)),
        ("sums", lambda x: (x.sum(0), x.max(1), x.prod(), (x > 0).any()), (x,)),
        ("argmax", lambda x: (x.argmax(1), x.argmin()), (x,)),
        ("cumulative", lambda x: (jnp.cumsum(x, 1), lax.cummax(x, 0)), (x,), {"ulps": 512}),
        ("sort", lambda x: jnp.sort(x, axis=0), (x,)),
        ("argsort", lambda x: jnp.argsort(x, axis=1), (x,)),
        ("top_k", lambda x: lax.top_k(x, 3), (x,), {"calls_kernels": True}),
        ("while", lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 1.5), (0, x)), (x,)),
        ("scan", lambda x: lax.scan(lambda c, r: (c * 0.5 + r, c.sum()), jnp.zeros(8), x), (x,), {"ulps": 512}),
        ("fori", lambda x: lax.fori_loop(0, 4, lambda i, c: c.at[i].mul(2.0), x), (x,)),
        ("cond", lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), (x,)),
        ("switch", lambda x: lax.switch(2, [jnp.sin, jnp.cos, lambda x: x * 2], x), (x,)),
        ("checkpoint", lambda x: jax.grad(lambda x: jax.checkpoint(jnp.sin)(x).sum())(x), (x,)),
        ("barrier", lambda x: lax.optimization_barrier((x, x + 1)), (x,)),
        ("precision", lambda x: lax.reduce_precision(x, 5, 7), (x,)),
        ("random_bits", lambda: jax.random.bits(jax.random.key(3), (5, 7)), ()),
        ("random_normal", lambda: jax.random.normal(jax.random.key(3), (5, 7)), ()),
        ("random_philox", lambda: jax.random.bits(jax.random.key(3, impl="unsafe_rbg"), (9,)), ()),
        ("fft", lambda x: jnp.abs(jnp.fft.fft(x)), (v,), {"ulps": 4096, "calls_kernels": True}),
        ("real_fft", lambda x: jnp.fft.irfft(jnp.fft.rfft(x)), (v,), {"ulps": 4096, "calls_kernels": True}),
        ("cholesky", lambda: lax.linalg.cholesky(jnp.array(positive(5))), ()),
        ("triangular", lambda: lax.linalg.triangular_solve(jnp.array(positive(5)), jnp.ones((5, 2)), left_side=True, lower=True), ()),
        ("qr", lambda x: jnp.linalg.qr(x), (x,)),
        ("eigenvalues", lambda x: jnp.linalg.eigh(x @ x.T), (x,)),
        ("lu", lambda x: jax.scipy.linalg.lu(x), (x,)),
        ("svd", lambda x: jnp.linalg.svd(x, full_matrices=False), (x,)),
        ("erf", lambda x: jax.scipy.special.erf(x) + jax.scipy.special.erfinv(x / 9), (x,), {"ulps": 512}),
        ("special", lambda x: jax.scipy.special.gammaln(jnp.abs(x) + 0.5), (x,), {"ulps": 4096}),
        ("empty", lambda x: (x[:, :0], jnp.zeros((2, 0, 3))), (x,)),
        ("donated", jax.jit(lambda x: x + 1, donate_argnums=()), (x,)),
    ]
    several = [
        ("psum", lambda x: lax.psum(x, "i"), whole),
        ("pmean", lambda x: lax.pmean(x, "i"), whole),
        ("pmax", lambda x: lax.pmax(x, "i"), whole),
        ("all_gather", lambda x: lax.all_gather(x, "i"), whole),
        ("psum_scatter", lambda x: lax.psum_scatter(jnp.tile(x, (4, 1)), "i", tiled=True), spread),
        ("all_to_all", lambda x: lax.all_to_all(jnp.tile(x, (4, 1)), "i", 0, 1, tiled=True), spread),
        ("ppermute", lambda x: lax.ppermute(x, "i", [(0, 1), (1, 2), (2, 3), (3, 0)]), spread),
        ("axis_index", lambda x: x + lax.axis_index("i"), spread),
    ]
    for name, function, arguments, *options in one:
        yield Program(name, function, arguments, **(options[0] if options else {}))
    for name, function, output in several:
        yield Program(name, collective(function, output), (floats(8, 3),), text_only=True)
