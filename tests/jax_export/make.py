#!/usr/bin/env python3
"""Makes the files of `programs` anew, with JAX and PyPI's flatbuffers:

    JAX_PLATFORMS=cpu python3 tests/jax_export/make.py

NAME.jaxexport is what jax.export writes, NAME.mlir, of those that are read, the module in it as text.
"""

import pathlib

import jax
import jax.numpy as jnp
from jax import export
from jax._src import core, effects
from jax._src.interpreters import mlir

FOLDER = pathlib.Path(__file__).parent / 'programs'
X = jax.ShapeDtypeStruct((3,), jnp.float32)


def write(name, exported):
    (FOLDER / f'{name}.jaxexport').write_bytes(exported.serialize())
    if exported.platforms != ("cuda",) and not exported.ordered_effects and not exported.unordered_effects:
        (FOLDER / f"{name}.mlir").write_text(exported.mlir_module())


class BellEffect(effects.Effect):
    __str__ = lambda _: 'Bell'


def ringing(ordered):
    """x, after a bell has rung: an effect that lowering gives no meaning."""
    kind = type('OrderedBellEffect' if ordered else 'BellEffect', (BellEffect,), {'__eq__': lambda a, b: type(a) is type(b), '__hash__': lambda a: 7})
    effect = kind()
    primitive = core.Primitive(kind.__name__)
    primitive.def_effectful_abstract_eval(lambda x: (x, {effect}))

    def lower(ctx, x):
        if ordered:
            ctx.set_tokens_out(ctx.tokens_in)
        return [x]

    mlir.register_lowering(primitive, lower)
    effects.lowerable_effects.add_type(kind)
    if ordered:
        effects.ordered_effects.add_type(kind)
    return jax.jit(lambda x: primitive.bind(x) + 1)


def main():
    # No file names of this machine.
    jax.config.update('jax_hlo_source_file_canonicalization_regex', '.*/')
    jax.config.update('jax_traceback_in_locations_limit', 1)
    FOLDER.mkdir(exist_ok=True)
    write('plain', export.export(jax.jit(lambda x, y: jnp.sin(x) * y))(X, X))
    # Index 1 is the CPU.
    write('platforms', export.export(
        jax.jit(lambda x, y: (jax.lax.platform_dependent(x, cuda=lambda x: x + 2, cpu=lambda x: x + 1), y), donate_argnums=1),
        platforms=['cuda', 'cpu'])(X, X))
    write('cuda', export.export(jax.jit(lambda x: x + 1), platforms=['cuda'])(X))
    a, b = export.symbolic_shape('a, b', constraints=['a >= 2', 'b <= a'])
    write('symbolic', export.export(jax.jit(lambda x, y: (x.reshape(-1), x[:, 0] + y)))(
        jax.ShapeDtypeStruct((a, 2 * b), jnp.float32), jax.ShapeDtypeStruct((a,), jnp.float32)))
    write('dropped', export.export(jax.jit(lambda x, y, z: x - z))(X, jax.ShapeDtypeStruct((2, 5), jnp.int32), X))
    write('donated', export.export(jax.jit(lambda x, y: x + y, donate_argnums=1))(X, X))
    write('ordered_effect', export.export(ringing(True))(X))
    write('unordered_effect', export.export(ringing(False))(X))
    jax.config.update('jax_export_calling_convention_version', 9)
    write('convention_9', export.export(jax.jit(lambda x: x * 3))(X))


main()
