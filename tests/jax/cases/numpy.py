"""jax.numpy, its linalg and its fft: one call or more of each function."""
import jax
import jax.numpy as jnp
import numpy as np

from harness import A, Table

T = Table(jnp, "jnp")
L = Table(jnp.linalg, "jnp.linalg")
F = Table(jnp.fft, "jnp.fft")

X, Y = A((5, 8)), A((5, 8))
POSITIVE, UNIT = A((5, 8), lo=0.1, hi=4), A((5, 8), lo=-0.95, hi=0.95)
INT, COUNT = A((5, 8), "int32"), A((5, 8), "int32", lo=0, hi=9)
BOOL, C = A((5, 8), "bool"), A((5, 8), "complex64")
VECTOR, INDEX = A((9,)), A((4,), "int32", lo=0, hi=5)
SUM = dict(sums=True, ulps=64)

# Elementwise.
for f in ("abs absolute ceil cos deg2rad degrees exp2 exp expm1 fabs floor isfinite isinf isnan "
          "isneginf isposinf iscomplex isreal negative positive rad2deg radians rint sign signbit "
          "sin sinc sinh cosh square tanh trunc atan arctan arcsinh asinh conj conjugate imag real "
          "angle cbrt nan_to_num round around spacing modf frexp i0").split():
    T.add(f, X, ulps=64)
for f in "log log10 log1p log2 reciprocal sqrt arccosh acosh tan".split():
    T.add(f, A((5, 8), lo=1.05, hi=1.5) if f in ("arccosh", "acosh", "tan") else POSITIVE, ulps=64)
for f in "arcsin asin arccos acos arctanh atanh".split():
    T.add(f, UNIT, ulps=64)
for f in "invert bitwise_invert bitwise_not bitwise_count".split():
    T.add(f, INT)
T.add("logical_not", BOOL)
for f in ("add atan2 arctan2 copysign equal fmax fmin greater greater_equal heaviside hypot less "
          "less_equal logaddexp logaddexp2 maximum minimum multiply nextafter not_equal subtract "
          "isclose").split():
    T.add(f, X, Y, ulps=64)
for f in "divide true_divide floor_divide fmod mod remainder divmod power pow float_power".split():
    T.add(f, POSITIVE, A((5, 8), lo=0.5, hi=2), ulps=64)
for f in "floor_divide mod remainder fmod divmod".split():
    T.add(f, INT, A((5, 8), "int32", lo=1, hi=5), tag="int")
for f in "bitwise_and bitwise_or bitwise_xor gcd lcm".split():
    T.add(f, INT, INT)
for f in "bitwise_left_shift left_shift bitwise_right_shift right_shift".split():
    T.add(f, COUNT, COUNT)
for f in "logical_and logical_or logical_xor".split():
    T.add(f, BOOL, A((5, 8), "bool"))
T.add("ldexp", X, INT)
T.add("clip", X, call=lambda x: jnp.clip(x, -1, 1))
T.add("where", BOOL, X, Y)
T.add("select", BOOL, A((5, 8), "bool"), X, Y, call=lambda p, q, x, y: jnp.select([p, q], [x, y], 7))
T.add("piecewise", X, call=lambda x: jnp.piecewise(x, [x < 0, x > 1], [jnp.sin, 2.0, jnp.cos]))
T.add("choose", A((4,), "int32", lo=0, hi=3), A((3, 4)),
      call=lambda i, x: jnp.choose(i, [x[0], x[1], x[2]], mode="clip"))
T.add("astype", X, call=lambda x: jnp.astype(x, jnp.int32))
T.add("unwrap", A((20,), lo=-9, hi=9), **SUM)
for f in ("sin", "cos", "exp", "log", "sqrt", "tan", "tanh", "sinh", "cosh", "arcsin", "arccos",
          "arctan", "arcsinh", "arccosh", "arctanh", "square", "abs", "sign", "reciprocal",
          "expm1", "log1p", "angle"):
    T.add(f, A((5, 8), "complex64"), tag="complex", ulps=64)

# Reductions and statistics.
for f in ("all any amax amin max min sum prod mean median std var ptp argmax argmin nanargmax "
          "nanargmin nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar cumsum cumprod "
          "cumulative_sum cumulative_prod nancumsum nancumprod count_nonzero").split():
    T.add(f, X, call=lambda x, f=f: getattr(jnp, f)(x, axis=1), **SUM)
    if f not in ("cumulative_sum", "cumulative_prod"):
        T.add(f, X, tag="whole", **SUM)
T.add("minmax", X)
T.add("average", X, POSITIVE, call=lambda x, w: jnp.average(x, 0, w), **SUM)
for f in "percentile nanpercentile quantile nanquantile".split():
    q = 30 if "cent" in f else 0.3
    T.add(f, X, call=lambda x, f=f, q=q: getattr(jnp, f)(x, q, axis=1), **SUM)
T.add("corrcoef", A((4, 20)), **SUM)
T.add("cov", A((4, 20)), **SUM)
T.add("diff", X, **SUM)
T.add("ediff1d", X, **SUM)
T.add("gradient", X, **SUM)
T.add("trapezoid", X, **SUM)
T.add("histogram", A((100,)), call=lambda x: jnp.histogram(x, 7))
T.add("histogram_bin_edges", A((100,)), call=lambda x: jnp.histogram_bin_edges(x, 7), **SUM)
T.add("histogram2d", A((100,)), A((100,)), call=lambda x, y: jnp.histogram2d(x, y, 5), **SUM)
T.add("histogramdd", A((100, 2)), call=lambda x: jnp.histogramdd(x, 5), **SUM)
T.add("bincount", A((50,), "int32", lo=0, hi=9), call=lambda x: jnp.bincount(x, length=9))
T.add("digitize", VECTOR, call=lambda x: jnp.digitize(x, jnp.arange(-2.0, 3)))
T.add("searchsorted", A((40,)), VECTOR, call=lambda a, v: jnp.searchsorted(jnp.sort(a), v))
T.add("interp", A((9,), lo=0, hi=7), A((8,)), call=lambda x, y: jnp.interp(
    x, jnp.arange(8.0), y), **SUM)

# Products.
for f in "dot matmul inner outer kron vdot tensordot".split():
    T.add(f, A((6, 6)), A((6, 6)), **SUM)
T.add("cross", A((5, 3)), A((5, 3)), **SUM)
T.add("einsum", A((3, 4)), A((4, 5)), call=lambda x, y: jnp.einsum("ij,jk->ki", x, y), **SUM)
T.add("einsum", A((2, 3, 4)), A((2, 4, 5)), A((5,)), tag="three",
      call=lambda x, y, z: jnp.einsum("bij,bjk,k->bi", x, y, z), **SUM)
T.add("vecdot", X, Y, **SUM)
T.add("matvec", A((3, 4)), A((4,)), **SUM)
T.add("vecmat", A((3,)), A((3, 4)), **SUM)
T.add("convolve", VECTOR, A((4,)), **SUM)
T.add("correlate", VECTOR, A((4,)), **SUM)
T.add("polyval", A((4,)), X, **SUM)
T.add("polyadd", A((4,)), A((3,)), **SUM)
T.add("polysub", A((4,)), A((3,)), **SUM)
T.add("polymul", A((4,)), A((3,)), **SUM)
T.add("polyder", A((4,)), **SUM)
T.add("polyint", A((4,)), **SUM)
T.add("polydiv", A((6,)), A((3,), lo=1, hi=2), **SUM)
T.add("polyfit", A((9,)), call=lambda y: jnp.polyfit(jnp.arange(9.0), y, 2), sums=True, ulps=4096)
T.add("poly", A((4,)), **SUM)
T.add("roots", A((4,), lo=1, hi=2), call=lambda p: jnp.sort_complex(jnp.roots(p, strip_zeros=False)),
      sums=True, ulps=4096)
T.add("vander", A((5,)), ulps=64)
T.add("trace", A((6, 6)), **SUM)
T.add("apply_along_axis", X, call=lambda x: jnp.apply_along_axis(jnp.sum, 1, x), **SUM)
T.add("apply_over_axes", X, call=lambda x: jnp.apply_over_axes(jnp.sum, x, [0]), **SUM)
T.add("vectorize", X, call=lambda x: jnp.vectorize(jnp.sum, signature="(n)->()")(x), **SUM)
T.add("frompyfunc", X, Y, call=lambda x, y: jnp.frompyfunc(jnp.add, 2, 1, identity=0)(x, y))

# Shapes and order.
for f in ("atleast_1d atleast_2d atleast_3d copy diag diagonal diagflat fliplr flipud flip "
          "matrix_transpose transpose ravel rot90 squeeze tril triu zeros_like "
          "ones_like empty_like sort argsort sort_complex array asarray column_stack "
          "dstack hstack vstack concatenate concat stack block unstack").split():
    if f == "empty_like":
        continue
    if f == "block":
        T.add(f, X, Y, call=lambda x, y: jnp.block([[x, y], [y, x]]))
    elif f in "column_stack dstack hstack vstack concatenate concat stack".split():
        T.add(f, X, Y, call=lambda x, y, f=f: getattr(jnp, f)([x, y]))
    else:
        T.add(f, A((5, 8)))
T.add("permute_dims", X, call=lambda x: jnp.permute_dims(x, (1, 0)))
T.add("append", X, Y)
T.add("argpartition", A((9,)), call=lambda x: jnp.argpartition(x, 3)[3])
T.add("partition", A((9,)), call=lambda x: jnp.partition(x, 3)[3])
T.add("argwhere", BOOL, call=lambda p: jnp.argwhere(p, size=9))
T.add("array_split", A((9, 2)), call=lambda x: jnp.array_split(x, 4))
T.add("split", A((9, 2)), call=lambda x: jnp.split(x, 3))
T.add("hsplit", A((9, 2)), call=lambda x: jnp.hsplit(x, 2))
T.add("vsplit", A((9, 2)), call=lambda x: jnp.vsplit(x, 3))
T.add("dsplit", A((3, 2, 4)), call=lambda x: jnp.dsplit(x, 2))
T.add("broadcast_arrays", A((5, 1)), A((8,)))
T.add("broadcast_to", A((8,)), call=lambda x: jnp.broadcast_to(x, (5, 8)))
T.add("compress", X, call=lambda x: jnp.compress(
    np.array([True, False, True, True, False]), x, 0, size=3))
T.add("delete", X, call=lambda x: jnp.delete(x, 2, 0))
T.add("expand_dims", X, call=lambda x: jnp.expand_dims(x, 1))
T.add("extract", BOOL, X, call=lambda p, x: jnp.extract(p, x, size=9))
T.add("fill_diagonal", A((6, 6)), call=lambda x: jnp.fill_diagonal(x, 3, inplace=False))
T.add("flatnonzero", BOOL, call=lambda p: jnp.flatnonzero(p, size=9))
T.add("nonzero", BOOL, call=lambda p: jnp.nonzero(p, size=9))
T.add("insert", X, call=lambda x: jnp.insert(x, 2, 7.0, 0))
T.add("lexsort", INT, INT, call=lambda x, y: jnp.lexsort((x, y)))
T.add("meshgrid", VECTOR, A((4,)))
T.add("moveaxis", A((2, 3, 4)), call=lambda x: jnp.moveaxis(x, 0, 2))
T.add("swapaxes", A((2, 3, 4)), call=lambda x: jnp.swapaxes(x, 0, 2))
T.add("rollaxis", A((2, 3, 4)), call=lambda x: jnp.rollaxis(x, 2))
T.add("roll", X, call=lambda x: jnp.roll(x, 3, 1))
T.add("pad", X, call=lambda x: jnp.pad(x, ((1, 2), (0, 3))))
for mode in ("edge", "reflect", "wrap", "symmetric", "linear_ramp", "maximum", "mean"):
    T.add("pad", X, tag=mode, call=lambda x, m=mode: jnp.pad(x, ((1, 2), (2, 3)), m), **SUM)
T.add("place", X, BOOL, A((4,)), call=lambda x, p, v: jnp.place(x, p, v, inplace=False))
T.add("put", X, INDEX, A((4,)), call=lambda x, i, v: jnp.put(x, jnp.sort(i) * 0 + jnp.arange(4), v,
                                                             inplace=False))
T.add("put_along_axis", X, A((5, 1), "int32", lo=0, hi=8), call=lambda x, i: jnp.put_along_axis(
    x, i, 9.0, 1, inplace=False))
T.add("repeat", X, call=lambda x: jnp.repeat(x, 3, 1))
T.add("reshape", X, call=lambda x: jnp.reshape(x, (8, 5)))
T.add("resize", X, call=lambda x: jnp.resize(x, (3, 4)))
T.add("take", X, INDEX, call=lambda x, i: jnp.take(x, i, 0))
T.add("take", X, A((4,), "int32", lo=-9, hi=9), tag="clip",
      call=lambda x, i: jnp.take(x, i, 0, mode="clip"))
T.add("take_along_axis", X, A((5, 3), "int32", lo=0, hi=8),
      call=lambda x, i: jnp.take_along_axis(x, i, 1))
T.add("tile", X, call=lambda x: jnp.tile(x, (2, 3)))
T.add("top_k", X, call=lambda x: jnp.top_k(x, 3)[0])
T.add("trim_zeros", X, call=lambda x: jnp.sum(x), **SUM)
T.add("packbits", A((5, 16), "bool"))
T.add("unpackbits", A((5, 3), "uint8", lo=0, hi=256))
T.add("ravel_multi_index", INDEX, INDEX, call=lambda i, j: jnp.ravel_multi_index(
    (i, j), (5, 5), mode="clip"))
T.add("unravel_index", A((4,), "int32", lo=0, hi=40), call=lambda i: jnp.unravel_index(i, (5, 8)))
T.add("allclose", X, Y)
T.add("array_equal", X, Y)
T.add("array_equiv", X, Y)

# Sets, of a fixed size.
SET = A((12,), "int32", lo=0, hi=9)
for f in "unique unique_values".split():
    T.add(f, SET, call=lambda x, f=f: getattr(jnp, f)(x, size=9))
for f in "unique_all unique_counts unique_inverse".split():
    T.add(f, SET, call=lambda x, f=f: tuple(getattr(jnp, f)(x, size=9)))
T.add("union1d", SET, SET, call=lambda x, y: jnp.union1d(x, y, size=18))
T.add("intersect1d", SET, A((12,), "int32", lo=3, hi=12),
      call=lambda x, y: jnp.intersect1d(x, y, size=9))
T.add("setdiff1d", SET, A((12,), "int32", lo=3, hi=12),
      call=lambda x, y: jnp.setdiff1d(x, y, size=9))
T.add("setxor1d", SET, A((12,), "int32", lo=3, hi=12),
      call=lambda x, y: jnp.setxor1d(x, y, size=12))
T.add("isin", SET, A((4,), "int32", lo=0, hi=9))

# Made from nothing.
for f, call in (("arange", lambda: jnp.arange(9.0)), ("eye", lambda: jnp.eye(4, 5)),
                ("full", lambda: jnp.full((3, 4), 2.0)), ("full_like", None),
                ("identity", lambda: jnp.identity(4)), ("linspace", lambda: jnp.linspace(0, 1, 9)),
                ("logspace", lambda: jnp.logspace(0, 2, 9)),
                ("geomspace", lambda: jnp.geomspace(1.0, 9.0, 9)),
                ("ones", lambda: jnp.ones((3, 4))), ("zeros", lambda: jnp.zeros((3, 4))),
                ("empty", lambda: jnp.zeros((3, 4)) + 0 * jnp.empty((3, 4))),
                ("tri", lambda: jnp.tri(4, 5)),
                ("indices", lambda: jnp.indices((3, 4))),
                ("bartlett", lambda: jnp.bartlett(9)), ("blackman", lambda: jnp.blackman(9)),
                ("hamming", lambda: jnp.hamming(9)), ("hanning", lambda: jnp.hanning(9)),
                ("kaiser", lambda: jnp.kaiser(9, 3.0)),
                ("fromfunction", lambda: jnp.fromfunction(lambda i, j: i * j, (3, 4))),
                ("diag_indices", lambda: jnp.diag_indices(4)),
                ("tril_indices", lambda: jnp.tril_indices(4)),
                ("triu_indices", lambda: jnp.triu_indices(4)),
                ("mask_indices", lambda: jnp.mask_indices(4, jnp.triu, size=10)),
                ("ix_", None), ("diag_indices_from", None), ("tril_indices_from", None),
                ("triu_indices_from", None), ("empty_like", None)):
    if call:
        T.add(f, call=call, sums=True, ulps=64)
T.add("full_like", X, call=lambda x: jnp.full_like(x, 2))
T.add("empty_like", X, call=lambda x: 0 * jnp.empty_like(x))
T.add("ix_", INDEX, A((3,), "int32"))
T.add("diag_indices_from", A((4, 4)))
T.add("tril_indices_from", A((4, 4)))
T.add("triu_indices_from", A((4, 4)))

T.skip("answers on the host", "array_repr", "array_str", "broadcast_shapes", "can_cast",
       "einsum_path", "from_dlpack", "frombuffer", "fromfile", "fromiter", "fromstring",
       "get_printoptions", "isdtype", "iscomplexobj", "isrealobj", "isscalar", "issubdtype",
       "iterable", "load", "ndim", "printoptions", "promote_types", "result_type", "save", "savez",
       "set_printoptions", "shape", "size")

# linalg. Factors are unique up to signs only, so what they multiply to is compared.
SQUARE = A((6, 6))
SPD = A((6, 6), make=lambda s, g: (lambda m: m @ m.T + 6 * np.eye(6))(g.standard_normal(s)))
SYMMETRIC = A((6, 6), make=lambda s, g: (lambda m: m + m.T)(g.standard_normal(s)))
HARD = dict(sums=True, ulps=4096)
for t in ("float32", "float64", "complex64", "complex128"):
    def of(a, t=t):
        return A(a.shape, t, make=a.make)
    L.add("cholesky", of(SPD), tag=t, **HARD)
    L.add("inv", of(SPD), tag=t, **HARD)
    L.add("det", of(SPD), tag=t, **HARD)
    L.add("slogdet", of(SPD), tag=t, **HARD)
    L.add("solve", of(SPD), A((6, 3), t), tag=t, **HARD)
    L.add("qr", A((7, 5), t), tag=t, call=lambda a: (lambda q, r: (q @ r, jnp.abs(r)))(
        *jnp.linalg.qr(a)), **HARD)
    L.add("svd", A((7, 5), t), tag=t, call=lambda a: (lambda u, s, v: ((u * s) @ v, s))(
        *jnp.linalg.svd(a, full_matrices=False)), **HARD)
    L.add("svdvals", A((7, 5), t), tag=t, **HARD)
    L.add("eigh", of(SYMMETRIC), tag=t, call=lambda a: (lambda w, v: (w, (v * w) @ v.conj().T))(
        *jnp.linalg.eigh(a)), **HARD)
    L.add("eigvalsh", of(SYMMETRIC), tag=t, **HARD)
    L.add("eigvals", of(SQUARE), tag=t, call=lambda a: jnp.sort_complex(jnp.linalg.eigvals(a)),
          **HARD)
    L.add("eig", of(SQUARE), tag=t, call=lambda a: (lambda w, v: jnp.abs(a @ v - v * w) < 1e-3)(
        *jnp.linalg.eig(a)), **HARD)
    L.add("pinv", A((7, 5), t), tag=t, **HARD)
    L.add("lstsq", A((7, 5), t), A((7,), t), tag=t, call=lambda a, b: jnp.linalg.lstsq(a, b)[0],
          **HARD)
L.add("inv", A((3, 5, 5)), tag="batch", call=lambda a: jnp.linalg.inv(a + 9 * jnp.eye(5)), **HARD)
L.add("cond", SPD, **HARD)
L.add("cross", A((5, 3)), A((5, 3)), **SUM)
L.add("diagonal", SQUARE)
L.add("matmul", SQUARE, SQUARE, **SUM)
L.add("matrix_norm", SQUARE, **SUM)
L.add("matrix_power", SQUARE, call=lambda a: jnp.linalg.matrix_power(a, 3), **SUM)
L.add("matrix_rank", A((7, 5)))
L.add("matrix_transpose", A((7, 5)))
L.add("multi_dot", SQUARE, SQUARE, SQUARE, call=lambda a, b, c: jnp.linalg.multi_dot([a, b, c]), **SUM)
L.add("norm", SQUARE, **SUM)
L.add("norm", SQUARE, tag="nuclear", call=lambda a: jnp.linalg.norm(a, "nuc"), **HARD)
L.add("outer", VECTOR, VECTOR)
L.add("tensordot", SQUARE, SQUARE, call=lambda a, b: jnp.linalg.tensordot(a, b, axes=1), **SUM)
L.add("tensorinv", A((4, 6, 8, 3)), call=lambda a: jnp.linalg.tensorinv(a), sums=True, ulps=65536)
L.add("tensorsolve", A((6, 4, 24)), A((6, 4)), sums=True, ulps=65536)
L.add("trace", SQUARE, **SUM)
L.add("vecdot", X, Y, **SUM)
L.add("vector_norm", X, **SUM)

# fft.
for f in "fft ifft fft2 ifft2 fftn ifftn irfft irfft2 irfftn hfft".split():
    F.add(f, A((6, 10), "complex64"), **SUM)
for f in "rfft rfft2 rfftn ihfft fftshift ifftshift".split():
    F.add(f, A((6, 10)), **SUM)
for f in "fftfreq rfftfreq".split():
    F.add(f, call=lambda f=f: getattr(jnp.fft, f)(9, 0.5))
