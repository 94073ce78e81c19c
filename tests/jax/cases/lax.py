"""jax.lax: each operation on three shapes and all its element types."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from harness import (A, ANY, COMPLEXES, FLOATS, INTS, NUMBERS, REALS, SHAPES, SIGNED, Table,
                     UNSIGNED)

T = Table(lax, "lax")

# Elementwise, one operand: the domain, where it is not the whole line.
for f in ("abs", "neg", "sign", "square", "integer_pow"):
    call = (lambda x: lax.integer_pow(x, 3)) if f == "integer_pow" else None
    types = NUMBERS if f != "abs" else FLOATS + COMPLEXES + SIGNED
    T.add(f, A(), call=call, types=types, shapes=SHAPES)
for f in ("ceil", "floor", "is_finite", "round"):
    T.add(f, A(lo=-20, hi=20), types=FLOATS, shapes=SHAPES)
T.add("round", A(lo=-20, hi=20), tag="even", types=FLOATS,
      call=lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN))
for f in ("cbrt", "erf", "erfc", "erf_inv"):
    lo, hi = (-0.99, 0.99) if f == "erf_inv" else (-3, 3)
    T.add(f, A(lo=lo, hi=hi), types=FLOATS, shapes=SHAPES, ulps=64)
for f, lo, hi in (("exp", -5, 5), ("exp2", -5, 5), ("expm1", -2, 2), ("log", 0.1, 9),
                  ("log2", 0.1, 9), ("log1p", -0.9, 9), ("logistic", -6, 6), ("sin", -9, 9),
                  ("cos", -9, 9), ("tan", -1.4, 1.4), ("sinh", -3, 3), ("cosh", -3, 3),
                  ("tanh", -3, 3), ("asin", -0.99, 0.99), ("acos", -0.99, 0.99), ("atan", -9, 9),
                  ("asinh", -9, 9), ("acosh", 1.1, 9), ("atanh", -0.99, 0.99), ("sqrt", 0, 9),
                  ("rsqrt", 0.1, 9), ("reciprocal", 0.1, 9)):
    T.add(f, A(lo=lo, hi=hi), types=FLOATS + COMPLEXES, shapes=SHAPES, ulps=64)
for f, lo, hi in (("lgamma", 0.1, 9), ("digamma", 0.1, 9), ("bessel_i0e", -9, 9),
                  ("bessel_i1e", -9, 9)):
    T.add(f, A(lo=lo, hi=hi), types=FLOATS, shapes=SHAPES, ulps=256)
T.add("lgamma", A((64,), lo=-9, hi=0), types=REALS, tag="negative", sums=True, ulps=256)
for f in ("clz", "population_count"):
    T.add(f, A(lo=0, hi=100), types=INTS, shapes=SHAPES)
T.add("bitwise_not", A(), types=INTS + ("bool",), shapes=SHAPES)
for f in ("conj", "imag", "real"):
    T.add(f, A(), types=COMPLEXES, shapes=SHAPES)
T.add("complex", A(), A(), types=REALS, shapes=SHAPES)
T.add("one_minus_square", A(lo=-2, hi=2), types=FLOATS, shapes=SHAPES, sums=True)
T.add("stop_gradient", A(), types=REALS, shapes=SHAPES)

# Elementwise, more operands.
for f in ("add", "sub", "mul"):
    T.add(f, A(), A(), types=NUMBERS, shapes=SHAPES)
for f in ("max", "min"):
    T.add(f, A(), A(), types=FLOATS + INTS + ("bool",), shapes=SHAPES)
for f in ("eq", "ne"):
    T.add(f, A(lo=0, hi=3), A(lo=0, hi=3), types=ANY, shapes=SHAPES)
for f in ("lt", "le", "gt", "ge"):
    T.add(f, A(), A(), types=FLOATS + INTS + ("bool",), shapes=SHAPES)
for f in ("div", "rem"):
    types = NUMBERS if f == "div" else FLOATS + INTS
    T.add(f, A(lo=1, hi=90), A(lo=1, hi=9), types=types, shapes=SHAPES)
T.add("div", A((9,), lo=-90, hi=90), A((9,), make=lambda s, g: [0, 1, -1, 2, -2, 3, -3, 0, 5]),
      types=SIGNED, tag="signs")
for f in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    T.add(f, A(), A(), types=INTS + ("bool",), shapes=SHAPES)
for f in ("shift_left", "shift_right_arithmetic", "shift_right_logical"):
    T.add(f, A(lo=0, hi=100), A(lo=0, hi=70), types=INTS, shapes=SHAPES)
T.add("atan2", A(), A(), types=FLOATS, shapes=SHAPES)
T.add("pow", A(lo=0.2, hi=3), A(lo=-2, hi=2), types=FLOATS + COMPLEXES, shapes=SHAPES, ulps=64)
T.add("pow", A(), A((5, 8), "int32", lo=-3, hi=4), tag="integer")
T.add("nextafter", A(), A(), types=FLOATS, shapes=SHAPES)
T.add("mulhi", A(lo=0, hi=100), A(lo=0, hi=100), types=INTS, shapes=SHAPES)
for f in ("igamma", "igammac", "igamma_grad_a", "random_gamma_grad"):
    T.add(f, A(lo=0.3, hi=5), A(lo=0.3, hi=5), types=REALS, shapes=SHAPES, ulps=1024, sums=True)
T.add("betainc", A(lo=0.3, hi=5), A(lo=0.3, hi=5), A(lo=0.01, hi=0.99), types=REALS,
      shapes=SHAPES, ulps=1024, sums=True)
T.add("polygamma", A(lo=1, hi=1.1, make=lambda s, g: np.full(s, 2.0)), A(lo=0.5, hi=5),
      types=REALS, shapes=SHAPES, ulps=1024)
T.add("zeta", A(lo=1.5, hi=5), A(lo=0.5, hi=5), types=REALS, shapes=SHAPES, ulps=1024)
T.add("clamp", A(lo=-3, hi=-1, type="float32"), A(), A(lo=1, hi=3), types=REALS, shapes=SHAPES)
T.add("clamp", A(lo=1, hi=2), A(lo=0, hi=9), A(lo=4, hi=6), tag="int", types=INTS, shapes=SHAPES)
T.add("select", A((3, 33), "bool"), A((3, 33)), A((3, 33)))
for t in ANY:
    T.add("select_n", A((3, 33), "bool"), A((3, 33), t), A((3, 33), t), tag=t)
T.add("select_n", A((6,), "int32", lo=0, hi=3), A((6,)), A((6,)), A((6,)), tag="cases")
for s in ANY:
    for d in ANY:
        if s in COMPLEXES and d not in COMPLEXES:
            continue
        T.add("convert_element_type", A((4, 9), s, lo=0, hi=100), tag=f"{s}.{d}",
              call=lambda x, d=d: lax.convert_element_type(x, jnp.dtype(d)))
for d in ("int32", "uint16", "uint8", "float32"):
    T.add("bitcast_convert_type", A((4, 8)), tag=d,
          call=lambda x, d=d: lax.bitcast_convert_type(x, jnp.dtype(d)))
T.add("bitcast_convert_type", A((4, 4), "uint8", lo=0, hi=256), tag="widen",
      call=lambda x: lax.bitcast_convert_type(x, jnp.uint32))
for e, m in ((5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (2, 1)):
    T.add("reduce_precision", A((64,), lo=-1000, hi=1000), types=FLOATS, tag=f"e{e}m{m}",
          call=lambda x, e=e, m=m: lax.reduce_precision(x, e, m))

# Shapes.
for shape in ((4,), (3, 5), (2, 3, 4)):
    tag = "x".join(map(str, shape))
    n = len(shape)
    for t in ANY:
        x = A(shape, t)
        T.add("transpose", x, tag=f"{t}.{tag}",
              call=lambda x, n=n: lax.transpose(x, tuple(reversed(range(n)))))
        T.add("rev", x, tag=f"{t}.{tag}", call=lambda x: lax.rev(x, (0,)))
        T.add("broadcast", x, tag=f"{t}.{tag}", call=lambda x: lax.broadcast(x, (2, 3)))
        T.add("reshape", x, tag=f"{t}.{tag}", call=lambda x: lax.reshape(x, (x.size,)))
        T.add("slice", x, tag=f"{t}.{tag}",
              call=lambda x, n=n: lax.slice(x, (1,) + (0,) * (n - 1), x.shape))
        T.add("pad", x, tag=f"{t}.{tag}", call=lambda x, n=n: lax.pad(
            x, jnp.zeros((), x.dtype), [(1, 2, 1)] * (n - 1) + [(-1, 3, 0)]))
        T.add("concatenate", x, x, tag=f"{t}.{tag}",
              call=lambda x, y: lax.concatenate([x, y], 0))
        T.add("dynamic_slice", x, A((), "int32", lo=0, hi=9), tag=f"{t}.{tag}",
              call=lambda x, i, n=n: lax.dynamic_slice(x, [i] + [jnp.int32(0)] * (n - 1),
                                                       (2,) + x.shape[1:]))
        T.add("dynamic_update_slice", x, x, A((), "int32", lo=0, hi=9), tag=f"{t}.{tag}",
              call=lambda x, y, i, n=n: lax.dynamic_update_slice(
                  x, y[:2], [i] + [jnp.int32(0)] * (n - 1)))
T.add("broadcast_in_dim", A((3, 1)), call=lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1, 2)))
T.add("broadcast_to_rank", A((3,)), call=lambda x: lax.broadcast_to_rank(x, 3))
T.add("broadcast_like", A((3,)), A((4, 3)), call=lax.broadcast_like)
T.add("broadcasted_iota", call=lambda: lax.broadcasted_iota(jnp.int32, (3, 4), 1))
for t in INTS + FLOATS + COMPLEXES:
    T.add("iota", tag=t, call=lambda t=t: lax.iota(jnp.dtype(t), 9))
T.add("collapse", A((2, 3, 4)), call=lambda x: lax.collapse(x, 0, 2))
T.add("expand_dims", A((3, 4)), call=lambda x: lax.expand_dims(x, (0, 2)))
T.add("squeeze", A((3, 1, 4)), call=lambda x: lax.squeeze(x, (1,)))
T.add("full", A(()), call=lambda x: lax.full((3, 4), x))
T.add("full_like", A((3, 4)), call=lambda x: lax.full_like(x, 2))
T.add("empty", call=lambda: lax.empty((0, 3), jnp.float32))
T.add("slice", A((9, 12)), tag="strides", call=lambda x: lax.slice(x, (1, 2), (8, 11), (3, 4)))
T.add("slice_in_dim", A((9, 4)), call=lambda x: lax.slice_in_dim(x, 1, 8, 2))
T.add("index_in_dim", A((9, 4)), call=lambda x: lax.index_in_dim(x, 3))
T.add("index_take", A((9, 4)), A((3,), "int32", lo=0, hi=9),
      call=lambda x, i: lax.index_take(x, (i,), (0,)))
T.add("dynamic_slice_in_dim", A((9, 4)), A((), "int32", lo=0, hi=12),
      call=lambda x, i: lax.dynamic_slice_in_dim(x, i, 3))
T.add("dynamic_index_in_dim", A((9, 4)), A((), "int32", lo=0, hi=12),
      call=lax.dynamic_index_in_dim)
T.add("dynamic_update_slice_in_dim", A((9, 4)), A((2, 4)), A((), "int32", lo=0, hi=12),
      call=lambda x, u, i: lax.dynamic_update_slice_in_dim(x, u, i, 0))
T.add("dynamic_update_index_in_dim", A((9, 4)), A((4,)), A((), "int32", lo=0, hi=12),
      call=lambda x, u, i: lax.dynamic_update_index_in_dim(x, u, i, 0))
T.add("split", A((9, 4)), call=lambda x: lax.split(x, (2, 3, 4)))
T.add("stack", A((3, 4)), A((3, 4)), call=lambda x, y: lax.stack([x, y]))
T.add("unstack", A((3, 4)), call=lambda x: lax.unstack(x))
T.add("tile", A((3, 4)), call=lambda x: lax.tile(x, (2, 3)))
T.add("optimization_barrier", A((3, 4)))

# Reductions.
for f in ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min"):
    types = NUMBERS if f in ("reduce_sum", "reduce_prod") else FLOATS + INTS
    for shape, axes in (((40,), (0,)), ((5, 33), (1,)), ((4, 5, 6), (0, 2))):
        T.add(f, A(shape, lo=1, hi=3) if f == "reduce_prod" else A(shape), types=types,
              tag="x".join(map(str, shape)), sums=True, ulps=64,
              call=lambda x, f=f, axes=axes: getattr(lax, f)(x, axes))
for f in ("reduce_and", "reduce_or", "reduce_xor"):
    for shape, axes in (((40,), (0,)), ((5, 33), (1,)), ((4, 5, 6), (0, 2))):
        T.add(f, A(shape), types=INTS + ("bool",) if f != "reduce_xor" else INTS,
              tag="x".join(map(str, shape)),
              call=lambda x, f=f, axes=axes: getattr(lax, f)(x, axes))
T.add("reduce", A((5, 33)), A((5, 33), "int32"), call=lambda x, i: lax.reduce(
    (x, i), (np.float32(0), np.int32(0)), lambda a, b: (a[0] + b[0], a[1] | b[1]), (0,)),
      sums=True)
for f in ("argmax", "argmin"):
    for shape, axis in (((40,), 0), ((5, 33), 1), ((4, 5, 6), 1)):
        T.add(f, A(shape), types=FLOATS + INTS, tag="x".join(map(str, shape)),
              call=lambda x, f=f, axis=axis: getattr(lax, f)(x, axis, jnp.int32))
for f in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
    types = FLOATS if f == "cumlogsumexp" else FLOATS + INTS
    for shape, axis in (((40,), 0), ((5, 33), 1), ((4, 5, 6), 0)):
        T.add(f, A(shape, lo=1, hi=2) if f == "cumprod" else A(shape), types=types,
              tag="x".join(map(str, shape)), sums=True, ulps=64,
              call=lambda x, f=f, axis=axis: getattr(lax, f)(x, axis))
T.add("cumsum", A((5, 33)), tag="reverse", sums=True,
      call=lambda x: lax.cumsum(x, 1, reverse=True))
T.add("associative_scan", A((33,)), call=lambda x: lax.associative_scan(jnp.add, x), sums=True)
for t in FLOATS + INTS:
    for tag, dims, strides, padding in (("same", (3,), (2,), "SAME"), ("valid", (4,), (1,), "VALID")):
        T.add("reduce_window", A((20,), t), tag=f"{t}.{tag}", sums=True, ulps=64,
              call=lambda x, d=dims, s=strides, p=padding: lax.reduce_window(
                  x, np.zeros((), x.dtype), lax.add, d, s, p))
T.add("reduce_window", A((2, 9, 9, 3)), tag="pool", call=lambda x: lax.reduce_window(
    x, -np.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"))
T.add("reduce_window", A((9, 11)), tag="dilated", sums=True, call=lambda x: lax.reduce_window(
    x, np.float32(0), lax.add, (2, 3), (1, 2), ((1, 0), (2, 3)), (2, 1), (1, 2)))
T.add("reduce_window", A((2, 9, 9, 3)), tag="gradient", sums=True, call=jax.grad(
    lambda x: jnp.sum(lax.reduce_window(x, -np.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1),
                                        "SAME") ** 2)))

# Products and convolutions.
for t in ANY[:-1]:
    T.add("dot", A((7,), t), A((7,), t), tag=f"{t}.vector", sums=True, ulps=64)
    T.add("dot", A((5, 7), t), A((7, 3), t), tag=f"{t}.matrix", sums=True, ulps=64)
    T.add("batch_matmul", A((2, 5, 7), t), A((2, 7, 3), t), tag=t, sums=True, ulps=64)
    T.add("dot_general", A((2, 5, 7), t), A((7, 3, 2), t), tag=t, sums=True, ulps=64,
          call=lambda x, y: lax.dot_general(x, y, (((2,), (0,)), ((0,), (2,)))))
T.add("dot_general", A((5, 7), "int8"), A((7, 3), "int8"), tag="wide",
      call=lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())),
                                        preferred_element_type=jnp.int32))
T.add("dot_general", A((5, 7), "bfloat16"), A((7, 3), "bfloat16"), tag="f32", sums=True,
      call=lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())),
                                        preferred_element_type=jnp.float32))
for t in FLOATS + COMPLEXES + ("int32",):
    T.add("conv", A((2, 3, 9), t), A((4, 3, 3), t), tag=f"{t}.1d", sums=True, ulps=64,
          call=lambda x, k: lax.conv(x, k, (1,), "SAME"))
    T.add("conv", A((2, 3, 9, 8), t), A((4, 3, 3, 2), t), tag=f"{t}.2d", sums=True, ulps=64,
          call=lambda x, k: lax.conv(x, k, (2, 1), "VALID"))
    T.add("conv", A((1, 2, 5, 5, 5), t), A((3, 2, 2, 2, 2), t), tag=f"{t}.3d", sums=True, ulps=64,
          call=lambda x, k: lax.conv(x, k, (1, 1, 1), "SAME"))
T.add("conv_with_general_padding", A((2, 3, 9, 8)), A((4, 3, 3, 2)), sums=True,
      call=lambda x, k: lax.conv_with_general_padding(x, k, (1, 1), ((2, 1), (0, 3)), (2, 1),
                                                      (1, 2)))
T.add("conv_general_dilated", A((2, 9, 8, 6)), A((3, 2, 2, 8)), tag="groups", sums=True,
      call=lambda x, k: lax.conv_general_dilated(
          x, k, (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
          feature_group_count=3) if False else lax.conv_general_dilated(
              x, jnp.ones((3, 2, 2, 9), x.dtype) * k[..., :1], (1, 2), "SAME",
              dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=3))
T.add("conv_general_dilated", A((4, 3, 9)), A((6, 3, 3)), tag="batch_groups", sums=True,
      call=lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME", batch_group_count=2))
T.add("conv_general_dilated", A((2, 9, 9, 3)), A((3, 3, 3, 4)), tag="gradient", sums=True,
      call=jax.grad(lambda x, k: jnp.sum(lax.conv_general_dilated(
          x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2), (0, 1)))
T.add("conv_transpose", A((2, 5, 5, 3)), A((3, 3, 3, 4)), sums=True,
      call=lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"))
T.add("conv_general_dilated_patches", A((2, 3, 9, 8)), sums=True,
      call=lambda x: lax.conv_general_dilated_patches(x, (3, 2), (1, 1), "SAME"))
T.add("conv_general_dilated_local", A((2, 3, 5)), A((4, 9, 3)), sums=True,
      call=lambda x, k: lax.conv_general_dilated_local(x, k, (1,), "VALID", (3,)))
T.add("ragged_dot", A((9, 4)), A((3, 4, 5)), A((3,), "int32", make=lambda s, g: [2, 4, 3]),
      sums=True)
T.add("ragged_dot_general", A((9, 4)), A((3, 4, 5)), A((3,), "int32", make=lambda s, g: [2, 4, 3]),
      sums=True, call=lambda x, y, n: lax.ragged_dot_general(
          x, y, n, lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0])))
# The instruction, which JAX keeps where a target may have it: rows, rows of batches with sizes of
# their own, parts of a sum, batches.
for tag, lhs, rhs, sizes, dims, ragged, group in (
    ("rows", (9, 4), (3, 4, 5), [2, 4, 1], (((1,), (1,)), ((), ())), [0], [0]),
    ("batch_rows", (2, 9, 4), (3, 2, 5, 4), [[2, 4, 3], [0, 8, 1]], (((2,), (3,)), ((0,), (1,))),
     [1], [0]),
    ("parts", (4, 9), (9, 5), [2, 4, 1], (((1,), (0,)), ((), ())), [1], []),
    ("batches", (3, 9, 4), (3, 4, 5), [2, 1], (((2,), (1,)), ((0,), (0,))), [0], [])):
    T.add("ragged_dot_general", A(lhs), A(rhs),
          A(np.shape(sizes), "int32", make=lambda s, g, sizes=sizes: sizes), tag=tag, sums=True,
          platform="tpu",
          call=lambda x, y, n, dims=dims, ragged=ragged, group=group: lax.ragged_dot_general(
              x, y, n, lax.RaggedDotDimensionNumbers(dims, ragged, group)))

# Gather, scatter, sort.
_INDEX = A((6, 1), "int32", lo=-2, hi=12)
for t in ANY:
    T.add("gather", A((9, 4), t), _INDEX, tag=t, call=lambda x, i: lax.gather(
        x, i, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 4),
        mode=lax.GatherScatterMode.CLIP))
    for f in ("scatter", "scatter_add", "scatter_mul", "scatter_max", "scatter_min",
              "scatter_sub"):
        if t == "bool" and f in ("scatter_sub", "scatter_mul", "scatter_add"):
            continue
        if t in COMPLEXES and f in ("scatter_max", "scatter_min"):
            continue
        T.add(f, A((9, 4), t), A((3, 1), "int32", make=lambda s, g: [[8], [2], [11]]),
              A((3, 4), t), tag=t, sums=True, call=lambda x, i, u, f=f: getattr(lax, f)(
                  x, i, u, lax.ScatterDimensionNumbers((1,), (0,), (0,)),
                  mode=lax.GatherScatterMode.FILL_OR_DROP))
T.add("gather", A((9, 4, 5)), A((3, 2, 2), "int32", lo=0, hi=5), tag="point",
      call=lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((2,), (0, 1), (0, 1)),
                                   (1, 1, 5)))
T.add("gather", A((3, 9)), A((3, 4, 1), "int32", lo=0, hi=9), tag="batch",
      call=lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers(
          (), (1,), (1,), operand_batching_dims=(0,), start_indices_batching_dims=(0,)), (1, 1)))
T.add("gather", A((9, 4)), _INDEX, tag="fill", call=lambda x, i: lax.gather(
    x, i, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 4),
    mode=lax.GatherScatterMode.FILL_OR_DROP))
T.add("scatter_add", A((9, 4)), A((60, 1), "int32", lo=0, hi=9), A((60, 4)), tag="same", sums=True,
      call=lambda x, i, u: lax.scatter_add(x, i, u,
                                           lax.ScatterDimensionNumbers((1,), (0,), (0,))))
T.add("scatter_apply", A((9, 4)), A((3, 1), "int32", make=lambda s, g: [[8], [2], [1]]),
      call=lambda x, i: lax.scatter_apply(x, i, jnp.cos, lax.ScatterDimensionNumbers(
          (1,), (0,), (0,)), update_shape=(3, 4)))
for t in FLOATS + INTS + ("bool",) + COMPLEXES:
    for shape in ((40,), (5, 33), (4, 5, 6)):
        T.add("sort", A(shape, t), tag=f"{t}.{'x'.join(map(str, shape))}",
              call=lambda x: lax.sort(x, dimension=x.ndim - 1))
T.add("sort", A((5, 33), "int32"), A((5, 33)), A((5, 33), "int8"), tag="operands",
      call=lambda x, y, z: lax.sort((x, y, z), num_keys=2))
T.add("sort", A((1000,), make=lambda s, g: np.where(g.random(s) < .1, np.nan,
                                                    g.integers(-3, 3, s))), tag="special")
T.add("sort_key_val", A((5, 33)), A((5, 33), "int32"))
for t in FLOATS + INTS + ("bool",):
    T.add("top_k", A((5, 33), t), tag=t, call=lambda x: lax.top_k(x, 4))
for f in ("approx_max_k", "approx_min_k"):
    T.add(f, A((5, 33)), call=lambda x, f=f: getattr(lax, f)(x, 4, recall_target=1.0))

# Fourier transforms, random bits.
for n in (1, 8, 12, 17, 60, 128):
    for t in COMPLEXES:
        for kind in ("fft", "ifft"):
            T.add("fft", A((3, n), t), tag=f"{kind}.{n}.{t}", sums=True, ulps=64,
                  call=lambda x, n=n, kind=kind: lax.fft(x, kind, (n,)))
    for t in REALS:
        T.add("fft", A((3, n), t), tag=f"rfft.{n}.{t}", sums=True, ulps=64,
              call=lambda x, n=n: lax.fft(x, "rfft", (n,)))
        T.add("fft", A((3, n // 2 + 1), "complex64" if t == "float32" else "complex128"),
              tag=f"irfft.{n}.{t}", sums=True, ulps=64,
              call=lambda x, n=n: lax.fft(x, "irfft", (n,)))
T.add("fft", A((2, 4, 6, 10), "complex64"), tag="3d", sums=True, ulps=64,
      call=lambda x: lax.fft(x, "fft", (4, 6, 10)))
for algorithm in ("RNG_THREE_FRY", "RNG_PHILOX", "RNG_DEFAULT"):
    for t in ("uint8", "uint16", "uint32", "uint64"):
        T.add("rng_bit_generator", A((4,), "uint32", lo=0, hi=2**32), tag=f"{algorithm}.{t}",
              call=lambda k, a=algorithm, t=t: lax.rng_bit_generator(
                  k, (5, 7), jnp.dtype(t), getattr(lax.RandomAlgorithm, a)))
T.skip("its values are not determined", "rng_uniform")

# Control flow.
T.add("cond", A((), "bool"), A((5, 8)), call=lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x))
T.add("switch", A((), "int32", lo=-1, hi=5), A((5, 8)),
      call=lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.abs], x))
T.add("fori_loop", A((5, 8)), call=lambda x: lax.fori_loop(0, 5, lambda i, v: v * 0.5 + i, x))
T.add("while_loop", A((5, 8)), call=lambda x: lax.while_loop(
    lambda v: jnp.sum(v) < 100, lambda v: v + 1, x))
T.add("scan", A((5, 8)), call=lambda x: lax.scan(lambda c, v: (c + v, c * v), x[0], x), sums=True)
T.add("map", A((5, 8)), call=lambda x: lax.map(lambda r: jnp.sum(r) + r, x), sums=True)
T.add("custom_root", A((), lo=1, hi=9), call=lambda x: lax.custom_root(
    lambda y: y * y - x, x, lambda f, y: lax.fori_loop(
        0, 20, lambda i, y: y - f(y) / (2 * y), y), lambda g, y: y / g(1.0)))
T.add("custom_linear_solve", A((4,)), call=lambda b: lax.custom_linear_solve(
    lambda v: 2 * v, b, lambda f, b: b / 2))
T.add("composite", A((5, 8)), call=lambda x: lax.composite(
    lambda v: jnp.sin(v) * 2, name="test.double_sine")(x))
T.add("platform_dependent", A((5, 8)), call=lambda x: lax.platform_dependent(
    x, cpu=jnp.sin, default=jnp.cos))
for n in (5, 12):  # beyond 8 coefficients it is a loop
    T.add("polynomial", A((n,)), A((7,)), tag=f"{n}", sums=True,
          call=lambda c, x, n=n: lax.polynomial(x, [c[i] for i in range(n)]))
T.add("scaled_dot", A((2, 5, 64), "float8_e4m3fn"), A((2, 7, 64), "float8_e4m3fn"),
      A((2, 5, 2), "float8_e8m0fnu", lo=0.5, hi=2), A((2, 7, 2), "float8_e8m0fnu", lo=0.5, hi=2),
      sums=True, call=lambda a, b, sa, sb: lax.scaled_dot(
          a, b, lhs_scale=sa, rhs_scale=sb,
          dimension_numbers=(((2,), (2,)), ((0,), (0,))), preferred_element_type=jnp.float32))

T.skip("computes shapes or types on the host", "broadcast_shapes", "conv_dimension_numbers",
       "conv_general_permutations", "conv_general_shape_tuple", "conv_shape_tuple",
       "conv_transpose_shape_tuple", "dtype", "padtype_to_pads", "reduce_window_shape_tuple",
       "shape_as_value", "stage")
T.skip("acts between devices, under a mapped axis", "all_gather", "all_to_all", "axis_index",
       "axis_size", "pbroadcast", "pcast", "pmax", "pmean", "pmin", "ppermute", "pshuffle", "psum",
       "psum_scatter", "psum_scatter_start", "pswapaxes", "ragged_all_to_all",
       "with_sharding_constraint")
T.skip("makes a token, which is no array", "after_all", "create_token")
T.skip("has no result", "dce_sink")
T.skip("is a type", "DotDimensionNumbers")
