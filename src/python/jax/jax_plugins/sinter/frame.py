"""The frame of a call by the interface of XLA's foreign functions, version 0.5: what Python's handlers read of it."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_void_p

import numpy as np

METADATA = 1
INTERNAL = 13
_TOKEN = 17


class Extension(Structure):
    pass


Extension._fields_ = [('struct_size', c_size_t), ('type', c_int), ('next', POINTER(Extension))]


class _Version(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('major', c_int), ('minor', c_int)]


class _Metadata(Structure):
    _fields_ = [('struct_size', c_size_t), ('version', _Version), ('traits', ctypes.c_uint32), ('state', c_int64)]


class MetadataExtension(Structure):
    _fields_ = [('base', Extension), ('metadata', POINTER(_Metadata))]


class ErrorCreate(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('message', c_char_p), ('code', c_int)]


class _Api(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('version', _Version),
                ('internal', c_void_p), ('error_create', CFUNCTYPE(c_void_p, POINTER(ErrorCreate)))]


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


class CallFrame(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', POINTER(Extension)), ('api', POINTER(_Api)),
                ('context', c_void_p), ('stage', c_int), ('operands', _Values), ('results', _Values),
                ('attributes', _Attributes), ('future', c_void_p)]


# Numbers that share bytes in programs, the first in the lowest bits; numpy's have bytes of their own.
_BITS = {'int2': 2, 'uint2': 2, 'int4': 4, 'uint4': 4, 'float4_e2m1fn': 4}


class Array:
    """An array of the program, in place."""

    def __init__(self, buffer: _Buffer, aval):
        self.dtype, self.shape = np.dtype(aval.dtype), aval.shape
        self.bits = _BITS.get(self.dtype.name)
        self.size = int(np.prod(aval.shape, dtype=np.int64))
        count = -(-self.size * self.bits // 8) if self.bits else self.size
        stored = np.dtype(np.uint8) if self.bits else self.dtype
        memory = (ctypes.c_char * (count * stored.itemsize)).from_address(buffer.data) if count else bytearray()
        self.stored = np.frombuffer(memory, stored, count)

    def read(self):
        """A copy: the memory is the program's, and what the function keeps must be its own."""
        if not self.bits:
            return self.stored.copy().reshape(self.shape)
        shifts = np.arange(0, 8, self.bits, dtype=np.uint8)
        numbers = ((self.stored[:, None] >> shifts) & ((1 << self.bits) - 1)).reshape(-1)[:self.size]
        if self.dtype.name.startswith('float'):
            return numbers.view(self.dtype).reshape(self.shape)
        if self.dtype.name.startswith('int'):
            sign = np.uint8(1 << (self.bits - 1))
            numbers = ((numbers ^ sign) - sign).view(np.int8)
        return numbers.astype(self.dtype).reshape(self.shape)

    def write(self, value):
        if not self.bits:
            self.stored.reshape(self.shape)[...] = value
            return
        each = 8 // self.bits
        numbers = np.zeros(self.stored.size * each, np.uint8)
        numbers[:self.size] = np.ascontiguousarray(value).reshape(-1).view(np.uint8) & ((1 << self.bits) - 1)
        shifts = np.arange(0, 8, self.bits, dtype=np.uint8)
        self.stored[...] = np.bitwise_or.reduce(numbers.reshape(-1, each) << shifts, axis=1)


def arrays(values: _Values, avals):
    """The arrays, without those of tokens."""
    buffers = (values.values[i].contents for i in range(values.size))
    return [Array(b, aval) for b, aval in zip((b for b in buffers if b.dtype != _TOKEN), avals, strict=True)]


def error(frame: CallFrame, message: str) -> int:
    """What a handler returns that failed."""
    text = message.encode()
    return frame.api.contents.error_create(ErrorCreate(ctypes.sizeof(ErrorCreate), None, text, INTERNAL))


def number_of(frame: CallFrame) -> int:
    """The only attribute that our calls have."""
    return frame.attributes.values[0].contents.value.contents.value


def answer(frame: CallFrame) -> bool:
    """Whether the frame asks for the version of the interface, which is answered."""
    if not frame.extension_start or frame.extension_start.contents.type != METADATA:
        return False
    extension = ctypes.cast(frame.extension_start, POINTER(MetadataExtension)).contents
    extension.metadata.contents.version.major, extension.metadata.contents.version.minor = 0, 5
    return True
