"""jax.nn and its initializers, jax.scipy.special, jax.lax.linalg."""
import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from jax.lax import linalg

from harness import A, COMPLEXES, REALS, Table

N = Table(jax.nn, "nn")
I = Table(jax.nn.initializers, "initializers")
S = Table(jax.scipy.special, "special")
LA = Table(linalg, "lax.linalg")

X = A((6, 12), lo=-4, hi=4)
for f in ("celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu "
          "log_sigmoid log_softmax logmeanexp logsumexp mish relu relu6 selu sigmoid silu "
          "soft_sign softmax softplus sparse_plus sparse_sigmoid squareplus standardize swish "
          "tanh").split():
    for t in ("float32", "bfloat16"):
        N.add(f, A((6, 12), t, lo=-4, hi=4), tag=t, sums=True, ulps=64)
N.add("gelu", X, tag="erf", call=lambda x: jax.nn.gelu(x, approximate=False), sums=True, ulps=64)
N.add("log1mexp", A((6, 12), lo=0.1, hi=4), ulps=64)
N.add("one_hot", A((9,), "int32", lo=0, hi=7), call=lambda i: jax.nn.one_hot(i, 7))
Q = A((2, 8, 3, 4))
N.add("dot_product_attention", Q, Q, Q, sums=True, ulps=256)
N.add("dot_product_attention", Q, Q, Q, tag="causal", sums=True, ulps=256,
      call=lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True))
N.add("scaled_matmul", A((1, 8, 64), "float8_e4m3fn"), A((1, 8, 64), "float8_e4m3fn"),
      A((1, 8, 2), "float8_e8m0fnu", lo=0.5, hi=2), A((1, 8, 2), "float8_e8m0fnu", lo=0.5, hi=2),
      sums=True)
N.skip("needs a configuration of cuDNN", "scaled_dot_general", "get_scaled_dot_general_config")

for f in ("delta_orthogonal glorot_normal glorot_uniform he_normal he_uniform kaiming_normal "
          "kaiming_uniform lecun_normal lecun_uniform normal orthogonal truncated_normal uniform "
          "xavier_normal xavier_uniform").split():
    shape = (3, 8, 8) if f == "delta_orthogonal" else (8, 6)
    I.add(f, A((2,), "uint32", lo=0, hi=2**32), sums=True, ulps=4096,
          call=lambda k, f=f, s=shape: getattr(jax.nn.initializers, f)()(k, s))
I.add("variance_scaling", A((2,), "uint32", lo=0, hi=2**32), ulps=256, call=lambda k:
      jax.nn.initializers.variance_scaling(1.0, "fan_avg", "normal")(k, (8, 6)))
for f in ("ones", "zeros"):
    I.add(f, A((2,), "uint32"), call=lambda k, f=f: getattr(jax.nn.initializers, f)(k, (3, 4)))
I.add("constant", A((2,), "uint32"), call=lambda k: jax.nn.initializers.constant(3)(k, (3, 4)))

# Special functions: the domain of each argument.
UNIT, POSITIVE, LINE = (0.02, 0.98), (0.3, 6), (-3, 3)
DOMAINS = {
    "beta": (POSITIVE,) * 2, "betainc": (POSITIVE, POSITIVE, UNIT), "betaln": (POSITIVE,) * 2,
    "boxcox": (POSITIVE, LINE), "boxcox1p": (POSITIVE, LINE), "dawsn": (LINE,),
    "digamma": (POSITIVE,), "entr": (POSITIVE,), "erf": (LINE,), "erfc": (LINE,),
    "erfcinv": (UNIT,), "erfcx": (LINE,), "erfinv": ((-0.98, 0.98),), "exp1": (POSITIVE,),
    "expi": (POSITIVE,), "expit": (LINE,), "factorial": (POSITIVE,), "fresnel": (LINE,),
    "gamma": (POSITIVE,), "gammainc": (POSITIVE,) * 2, "gammaincc": (POSITIVE,) * 2,
    "gammaln": (POSITIVE,), "gammasgn": (LINE,), "hyp1f1": (POSITIVE, POSITIVE, LINE),
    "hyp2f1": (POSITIVE, POSITIVE, POSITIVE, (0.02, 0.5)), "i0": (LINE,), "i0e": (LINE,),
    "i1": (LINE,), "i1e": (LINE,), "kl_div": (POSITIVE,) * 2, "log_ndtr": (LINE,),
    "loggamma": (POSITIVE,), "logit": (UNIT,), "ndtr": (LINE,), "ndtri": (UNIT,),
    "owens_t": (LINE, LINE), "poch": (POSITIVE,) * 2, "rel_entr": (POSITIVE,) * 2,
    "sici": (POSITIVE,), "spence": (POSITIVE,), "wofz": (LINE,), "xlog1py": (LINE, POSITIVE),
    "xlogy": (LINE, POSITIVE), "zeta": ((1.2, 6), POSITIVE), "comb": ((4, 6), (1, 3)),
}
for f, domains in DOMAINS.items():
    if not hasattr(jax.scipy.special, f):
        continue
    for t in REALS:
        S.add(f, *[A((4, 9), t, lo=lo, hi=hi) for lo, hi in domains], tag=t, sums=True, ulps=2048)
for f in ("log_softmax", "softmax", "logsumexp"):
    S.add(f, A((4, 9)), sums=True, ulps=64)
S.add("multigammaln", A((4, 9), lo=3, hi=9), call=lambda a: jax.scipy.special.multigammaln(a, 3),
      sums=True, ulps=2048)
S.add("expn", A((4, 9), lo=0.3, hi=6), call=lambda x: jax.scipy.special.expn(2, x), sums=True,
      ulps=2048)
S.add("polygamma", A((4, 9), lo=0.5, hi=6), call=lambda x: jax.scipy.special.polygamma(2, x),
      sums=True, ulps=2048)
S.add("bernoulli", call=lambda: jax.scipy.special.bernoulli(9), sums=True, ulps=64)
S.add("bessel_jn", A((9,), lo=0.3, hi=6), call=lambda z: jax.scipy.special.bessel_jn(
    z, v=4, n_iter=30), sums=True, ulps=2048)
S.add("sph_harm_y", A((4,), "int32", make=lambda s, g: [0, 1, 2, 3]),
      A((4,), "int32", make=lambda s, g: [0, 1, 1, 2]), A((4,), lo=0, hi=3), A((4,), lo=0, hi=3),
      sums=True, ulps=2048, call=lambda n, m, t, p: jax.scipy.special.sph_harm_y(
          n, m, t, p, n_max=3))

# lax.linalg: factors up to signs, as products.
HARD = dict(sums=True, ulps=4096)


def spd(shape, g):
    m = g.standard_normal(shape)
    return m @ np.swapaxes(m, -1, -2) + shape[-1] * np.eye(shape[-1])


for t in REALS + COMPLEXES:
    for shape in ((4, 4), (7, 7), (3, 5, 5)):
        tag = f"{t}.{'x'.join(map(str, shape))}"
        m, p = A(shape, t), A(shape, t, make=spd)
        adjoint = lambda a: jnp.swapaxes(a, -1, -2).conj()
        LA.add("cholesky", p, tag=tag, call=lambda a: linalg.cholesky(a, symmetrize_input=False),
               **HARD)
        LA.add("lu", m, tag=tag, **HARD)
        LA.add("qr", m, tag=tag, call=lambda a: (lambda q, r: q @ r)(
            *linalg.qr(a, full_matrices=False)), **HARD)
        LA.add("eigh", p, tag=tag, call=lambda a, adjoint=adjoint: (lambda v, w: (
            w, (v * w[..., None, :]) @ adjoint(v)))(*linalg.eigh(a, symmetrize_input=False)), **HARD)
        LA.add("svd", m, tag=tag, call=lambda a: (lambda u, s, v: (s, (u * s[..., None, :]) @ v))(
            *linalg.svd(a, full_matrices=False)), **HARD)
        LA.add("eig", m, tag=tag, call=lambda a: (lambda w, v: jnp.abs(
            a @ v - v * w[..., None, :]) < 1e-3)(*linalg.eig(a, compute_left_eigenvectors=False)))
        LA.add("schur", m, tag=tag, call=lambda a, adjoint=adjoint: (lambda s, q: q @ s @ adjoint(q))(
            *linalg.schur(a)), **HARD)
        LA.add("triangular_solve", p, A(shape, t), tag=tag, call=lambda a, b:
               linalg.triangular_solve(a, b, left_side=True, lower=True), **HARD)
        LA.add("triangular_solve", p, A(shape, t), tag=tag + ".right", call=lambda a, b:
               linalg.triangular_solve(a, b, transpose_a=True, conjugate_a=True), **HARD)
        LA.add("hessenberg", m, tag=tag, call=lambda a: jnp.abs(jnp.triu(linalg.hessenberg(a)[0], -1)),
               **HARD)
        LA.add("householder_product", m, A(shape[:-1], t), tag=tag, **HARD)
        LA.add("ormqr", m, A(shape[:-1], t), A(shape, t), tag=tag, call=lambda a, u, c:
               linalg.ormqr(a, u, c), **HARD)
        if t in REALS:
            LA.add("symmetric_product", A(shape, t), A(shape, t), tag=tag, call=lambda a, c:
                   linalg.symmetric_product(a, c, symmetrize_output=True), **HARD)
        LA.add("tridiagonal", p, tag=tag, call=lambda a: linalg.tridiagonal(a)[1], **HARD)
    for perturb in (False, True):
        LA.add("tridiagonal_solve", A((5,), t), A((5,), t, lo=4, hi=6), A((5,), t), A((5, 3), t),
               tag=t + ".perturb" * perturb, call=lambda *a, p=perturb: linalg.tridiagonal_solve(
                   *a, perturb_singular=p), **HARD)
    # Singular: what comes out is the vector that a matrix with a moved pivot has.
    LA.add("tridiagonal_solve", A((5, 3), t), tag=t + ".singular", call=lambda b, t=t:
           linalg.tridiagonal_solve(jnp.full(5, -1, t), jnp.full(5, 2, t).at[0].set(1).at[4].set(1),
                                    jnp.full(5, -1, t), b, perturb_singular=True), **HARD)
for t in REALS:
    LA.add("qdwh", A((5, 5), t, make=spd), tag=t, call=lambda a: linalg.qdwh(a)[0], **HARD)
    LA.add("cholesky_update", A((5, 5), t, make=spd), A((5,), t), tag=t,
           call=lambda a, w: linalg.cholesky_update(jnp.linalg.cholesky(a).T, w), **HARD)
LA.add("lu_pivots_to_permutation", A((4,), "int32", make=lambda s, g: [2, 1, 3, 3]),
       call=lambda p: linalg.lu_pivots_to_permutation(p, 5))
