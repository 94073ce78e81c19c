"""Writes programs/*.mlir: what JAX lowers for several devices. Run with JAX 0.12:

    python make_programs.py
"""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

FOLDER = pathlib.Path(__file__).parent / "programs"
B, S, D, H, F, V = 4, 8, 16, 4, 32, 24


def mesh(*axes):
    names, sizes = zip(*axes)
    return Mesh(np.array(jax.devices()[: int(np.prod(sizes))]).reshape(sizes), names)


def shardings(of, specs):
    return jax.tree.map(lambda s: NamedSharding(of, s), specs, is_leaf=lambda s: isinstance(s, P))


def shapes(*sizes, dtype=jnp.float32):
    return [jax.ShapeDtypeStruct(s, dtype) for s in sizes]


def write(name, function, arguments, of, in_specs, out_specs=None):
    out = None if out_specs is None else shardings(of, out_specs)
    jitted = jax.jit(function, in_shardings=shardings(of, in_specs), out_shardings=out)
    (FOLDER / f"{name}.mlir").write_text(jitted.lower(*arguments).as_text())


# --- a training step of an MLP

def mlp_step(w1, b1, w2, b2, x, y):
    def loss(p):
        h = jax.nn.relu(x @ p[0] + p[1])
        return jnp.mean((h @ p[2] + p[3] - y) ** 2)

    value, g = jax.value_and_grad(loss)((w1, b1, w2, b2))
    return value, *(p - 0.1 * d for p, d in zip((w1, b1, w2, b2), g))


mlp = shapes((D, F), (F,), (F, D), (D,), (8, D), (8, D))
of = mesh(("data", 4))
write("mlp_step_batch", mlp_step, mlp, of, (P(), P(), P(), P(), P("data"), P("data")), (P(),) * 5)
of = mesh(("data", 2), ("model", 4))
weights = (P(None, "model"), P("model"), P("model", None), P())
write("mlp_step_batch_and_width", mlp_step, mlp, of,
      (*weights, P("data"), P("data")), (P(), *weights))

# --- a layer of BERT


def normal(x, g, b):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + 1e-5) * g + b


def layer(x, wq, wk, wv, wo, g1, b1, w1, c1, w2, c2, g2, b2, reduce=lambda x: x):
    q, k, v = (jnp.einsum("bsd,dhe->bhse", x, w) for w in (wq, wk, wv))
    a = jax.nn.softmax(jnp.einsum("bhse,bhte->bhst", q, k) / np.sqrt(D // H), -1)
    o = jnp.einsum("bhst,bhte->bshe", a, v)
    x = normal(x + reduce(jnp.einsum("bshe,hed->bsd", o, wo)), g1, b1)
    h = jax.nn.gelu(x @ w1 + c1)
    return normal(x + reduce(h @ w2) + c2, g2, b2)


E = D // H
bert = shapes((B, S, D), (D, H, E), (D, H, E), (D, H, E), (H, E, D), (D,), (D,), (D, F), (F,),
              (F, D), (D,), (D,), (D,))


def specs(data, model):
    h = P(None, model, None)
    return (P(data), h, h, h, P(model), P(), P(), P(None, model), P(model), P(model), P(), P(),
            P())


for name, of, data, model in (
        ("batch", mesh(("data", 4)), "data", None),
        ("heads", mesh(("model", 4)), None, "model"),
        ("batch_and_heads", mesh(("data", 2), ("model", 2)), "data", "model")):
    spec = specs(data, model)
    write(f"bert_{name}", layer, bert, of, spec, P(data))
    reduce = (lambda x: x) if model is None else (lambda x: jax.lax.psum(x, "model"))
    manual = jax.shard_map(lambda *a, reduce=reduce: layer(*a, reduce=reduce), mesh=of,
                           in_specs=spec, out_specs=P(data))
    write(f"bert_{name}_manual", manual, bert, of, spec, P(data))

# --- embeddings


def embedding(table, at, y):
    def loss(t):
        return jnp.sum((t[at] - y) ** 2)

    value, g = jax.value_and_grad(loss)(table)
    return value, table - 0.1 * g, table[at]


words = shapes((V, D)) + shapes((B, S), dtype=jnp.int32) + shapes((B, S, D))
of = mesh(("data", 2), ("model", 4))
write("embedding_rows", embedding, words, of, (P("model"), P("data"), P("data")),
      (P(), P("model"), P("data")))
write("embedding_columns", embedding, words, of, (P(None, "model"), P("data"), P("data")),
      (P(), P(None, "model"), P("data")))

# --- convolutions


def convolutions(x, k1, k2, y):
    def loss(ks):
        h = jax.nn.relu(jax.lax.conv(x, ks[0], (1, 1), "SAME"))
        h = jax.lax.conv(h, ks[1], (2, 2), "SAME")
        return jnp.mean((h - y) ** 2)

    value, g = jax.value_and_grad(loss)((k1, k2))
    return value, *g


images = shapes((4, 3, 8, 8), (8, 3, 3, 3), (4, 8, 3, 3), (4, 4, 4, 4))
of = mesh(("data", 2), ("model", 2))
write("convolutions", convolutions, images, of,
      (P("data"), P("model"), P(None, "model"), P("data")), (P(), P("model"), P(None, "model")))

# --- loops, constraints, random numbers

of = mesh(("x", 2), ("y", 4))
constrain = lambda x, *s: jax.lax.with_sharding_constraint(x, NamedSharding(of, P(*s)))


def layers(ws, x):
    def body(x, w):
        x = constrain(jnp.tanh(x @ w), "x", "y")
        return x, x.sum()

    return jax.lax.scan(body, x, ws)


write("layers", layers, shapes((3, D, D), (8, D)), of, (P(None, None, "y"), P("x")),
      (P("x"), P()))


def randoms(x):
    u = constrain(jax.random.uniform(jax.random.key(7), (8, 16)), "x", "y")
    n = jax.random.normal(jax.random.key(1), (16, 8))
    return u + x, constrain(x @ n, "y", None), jnp.argmax(x, axis=1), jnp.sort(x, axis=0)


write("randoms", randoms, shapes((8, 16)), of, (P("x", "y"),), (P("x", "y"), P(), P(), P("y")))


def pieces(x, y):
    z = jnp.concatenate([x, y], axis=0)[3:11]
    p = jnp.pad(z, ((1, 2), (0, 0)), constant_values=2.0)
    r = jnp.roll(x, 3, axis=0)
    return constrain(p.reshape(11, 4, 4), None, "y"), r, constrain(z.T, "y", "x"), x[::2]


write("pieces", pieces, shapes((8, 16), (8, 16)), of, (P(("x", "y")), P("y", "x")),
      (P(), P(("y", "x")), P(None, ("x", "y")), P("x")))


# Two axes of which only one is the body's own.
def part(x, w):
    return jax.lax.psum(x @ w, "y")


manual = jax.shard_map(part, mesh=of, in_specs=(P(None, "y"), P("y", None)),
                       out_specs=P(None, None), axis_names={"y"})
write("manual_axis", lambda x, w: manual(jnp.sin(x), w) + 1, shapes((8, D), (D, F)), of,
      (P("x", "y"), P("y")), P("x"))


# Sums of which every device has a part until they are needed.
def partial_sums(x, w, v):
    whole = jax.sharding.reshard
    a = jnp.einsum("ij,jk->ik", x, w, out_sharding=P(None, None, unreduced={"x"}))
    b = jnp.einsum("ij,jk->ik", x, v, out_sharding=P(None, None, unreduced={"x"}))
    c = a + b - a.T.reshape(8, 8)
    return whole(c, P("x")), whole(a, P()), whole(b, P(None, "x"))


of = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
with jax.set_mesh(of):
    s = NamedSharding(of, P(None, "x"))
    arguments = [jax.ShapeDtypeStruct((8, 16), jnp.float32, sharding=s)]
    arguments += [jax.ShapeDtypeStruct((16, 8), jnp.float32, sharding=NamedSharding(of, P("x")))] * 2
    text = jax.jit(partial_sums).lower(*arguments).as_text()
    (FOLDER / "partial_sums.mlir").write_text(text)

# A custom call with a rule by which its batch is cut.
def tridiagonal(dl, d, du, b):
    return jax.lax.linalg.tridiagonal_solve(dl, jnp.exp(d) + 4, du, b).sum(axis=-1)


write("custom_call_batch", tridiagonal, shapes((8, 6), (8, 6), (8, 6), (8, 6, 2)),
      mesh(("x", 4)), (P("x"),) * 4, P("x"))
