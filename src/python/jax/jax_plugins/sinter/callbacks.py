"""Python functions called by running programs: pure_callback, io_callback, jax.debug.

A callback is a custom call to one foreign function, with the number of the Python function as an attribute. The
interface is that of XLA's foreign functions, version 0.5, of which this reads what it needs.
"""

import contextlib
import ctypes
import itertools
import logging
import weakref
from ctypes import CFUNCTYPE, POINTER, c_void_p

import numpy as np

from . import frame as ffi_frame

TARGET = 'sinter_python_callback'

_logger = logging.getLogger(__name__)


@contextlib.contextmanager
def _without_mesh():
    """Outside of the mesh that jax.set_mesh has set: a program may call on the thread that runs it, where one is set,
    or on another, where none is, and JAX gives the function arrays on the CPU, which is in no mesh of the platform."""
    from jax._src import config, mesh

    states = []
    for name, none in (('abstract_mesh_context_manager', 'empty_abstract_mesh'),
                       ('device_context', 'empty_concrete_mesh')):
        holder = mesh if hasattr(mesh, name) else config
        if hasattr(holder, name) and hasattr(mesh, none):
            states.append((getattr(holder, name), getattr(mesh, none)))
    before = [state.swap_local(none) for state, none in states]
    try:
        yield
    finally:
        for (state, _), value in zip(states, before):
            state.set_local(value)


class Callback:
    """A Python function with the types of its arrays."""

    def __init__(self, function, operands, results):
        self.function, self.operands, self.results = function, operands, results

    def run(self, operands, results) -> None:
        with _without_mesh():
            values = self.function(*(operand.read() for operand in operands))
        for result, value in zip(results, values, strict=True):
            result.write(value)


# The programs that call them keep them.
_callbacks: 'weakref.WeakValueDictionary[int, Callback]' = weakref.WeakValueDictionary()
_numbers = itertools.count(1)


def add(ctx, callback: Callback) -> np.int64:
    """The number by which the program being lowered calls the function."""
    number = next(_numbers)
    _callbacks[number] = callback
    ctx.module_context.add_keepalive(callback)
    return np.int64(number)


@CFUNCTYPE(c_void_p, POINTER(ffi_frame.CallFrame))
def _handler(pointer):
    frame = pointer.contents
    if ffi_frame.answer(frame):
        return None
    try:
        callback = _callbacks[ffi_frame.number_of(frame)]
        callback.run(ffi_frame.arrays(frame.operands, callback.operands),
                     ffi_frame.arrays(frame.results, callback.results))
        return None
    except BaseException as error:  # pylint: disable=broad-except
        _logger.debug('a callback failed', exc_info=True)
        return ffi_frame.error(frame, f'Python callback: {type(error).__name__}: {error}')


def _emit(ctx, function, token, operands, operand_avals, result_avals, *, has_side_effect, returns_token=True,
          partitioned=False, sharding=None):
    """jax._src.callback.emit_python_callback for this platform."""
    del returns_token, partitioned
    import dataclasses

    from jax._src import core, dtypes, ffi
    from jax._src.interpreters import mlir
    from jax._src.sharding_impls import SdyArray, SdyArrayList

    def checked(*args):
        values = function(*args)
        if len(values) != len(result_avals):
            raise RuntimeError(f'Mismatched number of outputs from callback. Expected: {len(result_avals)}, '
                               f'Actual: {len(values)}')
        out = [dtypes.canonicalize_value(np.asarray(v)) if hasattr(dtypes, 'canonicalize_value') else np.asarray(v)
               for v in values]
        for i, (value, aval) in enumerate(zip(out, result_avals)):
            if value.shape != aval.shape:
                raise RuntimeError(f'Incorrect output shape for return value #{i}: Expected: {aval.shape}, '
                                   f'Actual: {value.shape}')
            if value.dtype != aval.dtype:
                raise RuntimeError(f'Incorrect output dtype for return value #{i}: Expected: {aval.dtype}, '
                                   f'Actual: {value.dtype}')
        return out

    callback = Callback(checked, tuple(operand_avals), tuple(result_avals))
    number = add(ctx, callback)
    avals_in, avals_out, operands = list(operand_avals), list(result_avals), list(operands)
    if token:
        avals_in, avals_out = [core.abstract_token, *avals_in], [core.abstract_token, *avals_out]
        operands = [token, *operands]
        if isinstance(sharding, SdyArrayList) and sharding.shardings and result_avals:
            of_token = SdyArray(mesh_shape=(), dim_shardings=(),
                                logical_device_ids=sharding.shardings[0].logical_device_ids)
            sharding = SdyArrayList((of_token, *sharding.shardings))
    call_ctx = dataclasses.replace(ctx, avals_in=avals_in, avals_out=avals_out)
    call = ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)(
        call_ctx, *operands, id=number)
    if sharding is not None:
        mlir.set_sharding(ctx.module_context, call, sharding)
    results = list(call.results)
    if token:
        token, *results = results
    return results, token, callback


def register(platform: str, foreign) -> None:
    import jax
    from jax._src import callback, xla_bridge
    from jax.interpreters import mlir as public

    foreign.register_handler(TARGET, ctypes.cast(_handler, c_void_p).value, platform)
    emit_for_others = callback.emit_python_callback

    def emit(ctx, *args, **kwargs):
        if tuple(ctx.module_context.platforms) == (platform,):
            return _emit(ctx, *args, **kwargs)
        return emit_for_others(ctx, *args, **kwargs)

    callback.emit_python_callback = public.emit_python_callback = emit

    # JAX places the arguments of callbacks on its CPU device, which is there beside the platform.
    init_backend = xla_bridge._init_backend

    def init_with_cpu(name):
        backend = init_backend(name)
        if name == platform and jax.config.jax_platforms and 'cpu' not in jax.config.jax_platforms.split(','):
            xla_bridge._backends.setdefault('cpu', init_backend('cpu'))
        return backend

    xla_bridge._init_backend = init_with_cpu
