"""jax.random: the bits agree exactly, and what is computed from them within rounding."""
import jax
import jax.numpy as jnp
from jax import random

from harness import A, Table

T = Table(random, "random")
KEY = A((2,), "uint32", lo=0, hi=2**32)
SHAPE = (5, 7)


def add(function, *arguments, **options):
    f = getattr(random, function)
    T.add(function, KEY, call=lambda k: f(k, *arguments, **options), sums=True, ulps=1024)


for f in ("ball",):
    add(f, 3, shape=(6,))
for f in ("bits cauchy double_sided_maxwell exponential gumbel laplace logistic maxwell normal "
          "rademacher uniform rayleigh lognormal").split():
    arguments = {"double_sided_maxwell": (0.5, 1.5), "rayleigh": (1.5,), "lognormal": (0.5,)}
    add(f, *arguments.get(f, ()), shape=SHAPE)
for t in ("bfloat16", "float16", "float32"):
    T.add("uniform", KEY, tag=t, call=lambda k, t=t: random.uniform(k, SHAPE, jnp.dtype(t)))
    T.add("normal", KEY, tag=t, call=lambda k, t=t: random.normal(k, SHAPE, jnp.dtype(t)),
          ulps=256)
for t in ("uint8", "uint16", "uint32"):
    T.add("bits", KEY, tag=t, call=lambda k, t=t: random.bits(k, SHAPE, jnp.dtype(t)))
add("bernoulli", 0.3, SHAPE)
add("beta", 2.0, 3.0, SHAPE)
add("binomial", 9.0, 0.4, SHAPE)
add("categorical", jnp.arange(6.0))
add("chisquare", 3.0, shape=SHAPE)
add("choice", 20, (6,))
T.add("choice", KEY, tag="without", call=lambda k: random.choice(k, 20, (6,), replace=False))
add("dirichlet", jnp.ones(4), (5,))
add("f", 3.0, 5.0, shape=SHAPE)
add("gamma", 2.0, SHAPE)
add("loggamma", 2.0, SHAPE)
add("generalized_normal", 1.5, SHAPE)
add("geometric", 0.3, shape=SHAPE)
add("multinomial", 9.0, jnp.ones(4) / 4)
add("multivariate_normal", jnp.zeros(3), jnp.eye(3), (4,))
add("orthogonal", 4)
add("pareto", 2.0, shape=SHAPE)
add("permutation", 20)
add("poisson", 3.0, SHAPE)
add("randint", SHAPE, -9, 90)
add("t", 3.0, SHAPE)
add("triangular", 0.0, 0.4, 1.0, shape=SHAPE)
add("truncated_normal", -1.0, 1.5, SHAPE)
add("wald", 1.5, shape=SHAPE)
add("weibull_min", 1.0, 2.0, SHAPE)
add("split", 3)
add("fold_in", 7)
for f in ("PRNGKey", "key"):
    T.add(f, A((), "int32"), call=lambda s, f=f: random.key_data(getattr(random, f)(s)))
T.skip("is a type", "Key")
T.add("wrap_key_data", KEY, call=lambda k: random.bits(random.wrap_key_data(k), SHAPE))
T.add("key_data", KEY, call=lambda k: random.key_data(random.split(random.wrap_key_data(k))))
T.add("clone", KEY, call=lambda k: random.bits(random.clone(k), SHAPE))
for impl in ("rbg", "unsafe_rbg"):
    T.add("uniform", A((4,), "uint32", lo=0, hi=2**32), tag=impl, call=lambda k, impl=impl:
          random.uniform(random.wrap_key_data(k, impl=impl), SHAPE))
    T.add("split", A((4,), "uint32", lo=0, hi=2**32), tag=impl, call=lambda k, impl=impl:
          random.key_data(random.split(random.wrap_key_data(k, impl=impl))))
T.skip("answers on the host", "key_impl", "key_dtype")
