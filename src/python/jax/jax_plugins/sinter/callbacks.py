"""Python functions called by running programs: pure_callback, io_callback, jax.debug.

A callback is a custom call to one foreign function, with the number of the Python function as an attribute. The
interface is that of XLA's foreign functions, version 0.5, of which this reads what it needs.
"""

import ctypes
import itertools
import logging
import weakref
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_void_p

import numpy as np

TARGET = 'sinter_python_callback'
_METADATA = 1
_INTERNAL = 13
_TOKEN = 17

_logger = logging.getLogger(__name__)


class _Extension(Structure):
    pass


_Extension._fields_ = [('struct_size', c_size_t), ('type', c_int), ('next', POINTER(_Extension))]


class _Version(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('major', c_int), ('minor', c_int)]


class _Metadata(Structure):
    _fields_ = [('struct_size', c_size_t), ('version', _Version), ('traits', ctypes.c_uint32), ('state', c_int64)]


class _MetadataExtension(Structure):
    _fields_ = [('base', _Extension), ('metadata', POINTER(_Metadata))]


class _ErrorCreate(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('message', c_char_p), ('code', c_int)]


class _Api(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('version', _Version),
                ('internal', c_void_p), ('error_create', CFUNCTYPE(c_void_p, POINTER(_ErrorCreate)))]


class _Buffer(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('dtype', c_int), ('data', c_void_p),
                ('rank', c_int64), ('dims', POINTER(c_int64))]


class _Scalar(Structure):
    _fields_ = [('dtype', c_int), ('value', POINTER(c_int64))]


class _Values(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('size', c_int64), ('kinds', c_void_p),
                ('values', POINTER(POINTER(_Buffer)))]


class _Attributes(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('size', c_int64), ('kinds', c_void_p),
                ('names', c_void_p), ('values', POINTER(POINTER(_Scalar)))]


class _CallFrame(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', POINTER(_Extension)), ('api', POINTER(_Api)),
                ('context', c_void_p), ('stage', c_int), ('operands', _Values), ('results', _Values),
                ('attributes', _Attributes), ('future', c_void_p)]


class _Callback:
    """A Python function with the types of its arrays."""

    def __init__(self, function, operands, results):
        self.function, self.operands, self.results = function, operands, results


# The programs that call them keep them.
_callbacks: 'weakref.WeakValueDictionary[int, _Callback]' = weakref.WeakValueDictionary()
_numbers = itertools.count(1)


def _arrays(values: _Values, avals):
    """The arrays in place, without those of tokens."""
    out = []
    buffers = (values.values[i].contents for i in range(values.size))
    for buffer, aval in zip((b for b in buffers if b.dtype != _TOKEN), avals, strict=True):
        dtype = np.dtype(aval.dtype)
        size = int(np.prod(aval.shape, dtype=np.int64))
        # Numbers of 2 and 4 bits share bytes there, which numpy's do not.
        if dtype.name in ('int2', 'uint2', 'int4', 'uint4', 'float4_e2m1fn'):
            raise NotImplementedError(f'{dtype.name} in a callback')
        memory = (ctypes.c_char * (size * dtype.itemsize)).from_address(buffer.data) if size else bytearray()
        out.append(np.frombuffer(memory, dtype, size).reshape(aval.shape))
    return out


def _run(frame: _CallFrame) -> None:
    callback = _callbacks[frame.attributes.values[0].contents.value.contents.value]
    operands = _arrays(frame.operands, callback.operands)
    results = _arrays(frame.results, callback.results)
    for operand in operands:
        operand.flags.writeable = False
    # The memory is the program's: what the function keeps must be its own.
    values = callback.function(*(operand.copy() for operand in operands))
    for result, value in zip(results, values, strict=True):
        result[...] = value


@CFUNCTYPE(c_void_p, POINTER(_CallFrame))
def _handler(pointer):
    frame = pointer.contents
    if frame.extension_start and frame.extension_start.contents.type == _METADATA:
        extension = ctypes.cast(frame.extension_start, POINTER(_MetadataExtension)).contents
        extension.metadata.contents.version.major, extension.metadata.contents.version.minor = 0, 5
        return None
    try:
        _run(frame)
        return None
    except BaseException as error:  # pylint: disable=broad-except
        _logger.debug('a callback failed', exc_info=True)
        message = f'Python callback: {type(error).__name__}: {error}'.encode()
        return frame.api.contents.error_create(_ErrorCreate(ctypes.sizeof(_ErrorCreate), None, message, _INTERNAL))


def _emit(ctx, function, token, operands, operand_avals, result_avals, *, has_side_effect, returns_token=True,
          partitioned=False, sharding=None):
    """jax._src.callback.emit_python_callback for this platform; there is one device, hence nothing to partition."""
    del returns_token, partitioned, sharding
    import dataclasses

    from jax._src import core, dtypes, ffi

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

    callback = _Callback(checked, tuple(operand_avals), tuple(result_avals))
    number = next(_numbers)
    _callbacks[number] = callback
    ctx.module_context.add_keepalive(callback)
    avals_in, avals_out, operands = list(operand_avals), list(result_avals), list(operands)
    if token:
        avals_in, avals_out = [core.abstract_token, *avals_in], [core.abstract_token, *avals_out]
        operands = [token, *operands]
    call_ctx = dataclasses.replace(ctx, avals_in=avals_in, avals_out=avals_out)
    call = ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)(
        call_ctx, *operands, id=np.int64(number))
    results = list(call.results)
    if token:
        token, *results = results
    return results, token, callback


def register(platform: str, foreign) -> None:
    import jax
    from jax._src import callback

    foreign.register_handler(TARGET, ctypes.cast(_handler, c_void_p).value, platform)
    emit_for_others = callback.emit_python_callback

    def emit(ctx, *args, **kwargs):
        if tuple(ctx.module_context.platforms) == (platform,):
            return _emit(ctx, *args, **kwargs)
        return emit_for_others(ctx, *args, **kwargs)

    callback.emit_python_callback = emit

    # JAX places the arguments of callbacks on its CPU device.
    named = [p for p in (jax.config.jax_platforms or '').split(',') if p]
    if named and 'cpu' not in named:
        jax.config.update('jax_platforms', ','.join([*named, 'cpu']))
