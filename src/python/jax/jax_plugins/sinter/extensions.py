"""Functions of the plugin that JAX does not call by itself: the registration of foreign functions."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

FFI_EXTENSION = 5


class ExtensionBase(Structure):
    pass


ExtensionBase._fields_ = [('struct_size', c_size_t), ('type', c_int), ('next', POINTER(ExtensionBase))]


class ApiHead(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', POINTER(ExtensionBase)),
                ('version_size', c_size_t), ('version_extension', c_void_p), ('major', c_int), ('minor', c_int),
                ('error_destroy', c_void_p), ('error_message', c_void_p)]


class ErrorArgs(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('error', c_void_p),
                ('message', POINTER(ctypes.c_char)), ('message_size', c_size_t)]


class TypeRegisterArgs(Structure):
    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('type_name', c_char_p),
                ('type_name_size', c_size_t), ('type_id', c_int64), ('type_info', c_void_p)]


class HandlerRegisterArgs(Structure):
    _fields_ = [('struct_size', c_size_t), ('target_name', c_char_p), ('target_name_size', c_size_t),
                ('handler', c_void_p), ('platform_name', c_char_p), ('platform_name_size', c_size_t),
                ('traits', c_uint32)]


class FfiExtension(Structure):
    _fields_ = [('base', ExtensionBase), ('type_register', c_void_p), ('user_data_add', c_void_p),
                ('register_handler', c_void_p)]


_FUNCTION = ctypes.CFUNCTYPE(c_void_p, c_void_p)
_VOID_FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)


def pointer_of(capsule) -> int:
    """The address in a PyCapsule."""
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = c_char_p, [ctypes.py_object]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return get(capsule, name(capsule))


class ForeignFunctions:
    """The extension of the plugin's table, as Python functions. Errors are RuntimeErrors."""

    def __init__(self, library: ctypes.CDLL):
        library.GetPjrtApi.restype = POINTER(ApiHead)
        self._api = library.GetPjrtApi().contents
        extension = self._api.extension_start
        while extension and extension.contents.type != FFI_EXTENSION:
            extension = extension.contents.next
        if not extension:
            raise RuntimeError('the plugin has no foreign functions')
        self._ffi = ctypes.cast(extension, POINTER(FfiExtension)).contents

    def _call(self, function: int, args: Structure) -> None:
        args.struct_size = ctypes.sizeof(args)
        error = _FUNCTION(function)(ctypes.addressof(args))
        if not error:
            return
        about = ErrorArgs(ctypes.sizeof(ErrorArgs), None, error)
        _VOID_FUNCTION(self._api.error_message)(ctypes.addressof(about))
        message = ctypes.string_at(about.message, about.message_size).decode()
        _VOID_FUNCTION(self._api.error_destroy)(ctypes.addressof(about))
        raise RuntimeError(message)

    def register_handler(self, name: str, address: int, platform: str) -> None:
        """Makes the XLA_FFI_Handler at `address` the target of custom calls to `name`."""
        target, where = name.encode(), platform.encode()
        self._call(self._ffi.register_handler,
                   HandlerRegisterArgs(0, target, len(target), address, where, len(where), 0))

    def register_type(self, name: str, type_id: int) -> int:
        """The id of a named type; 0 asks for one."""
        args = TypeRegisterArgs(0, None, name.encode(), len(name.encode()), type_id, None)
        self._call(self._ffi.type_register, args)
        return args.type_id

    def register_with_jax(self, platform: str) -> None:
        """Takes what jax.ffi registers for the platform."""
        from jaxlib import xla_client

        def handler(name, function, xla_platform, api_version=1, traits=0):
            del xla_platform, traits
            if api_version != 1:
                raise NotImplementedError(f'{name}: platform {platform} has typed foreign functions only')
            if isinstance(function, dict):
                stages = sorted(set(function) - {'execute'})
                if stages:
                    raise NotImplementedError(f'{name}: platform {platform} does not run the stages {stages}')
                function = function['execute']
            self.register_handler(name if isinstance(name, str) else name.decode(), pointer_of(function), platform)

        def type_handler(name, registration):
            capsule = registration['type_id'] if isinstance(registration, dict) else registration
            type_id = c_int64.from_address(pointer_of(capsule))
            type_id.value = self.register_type(name, type_id.value)

        xla_client.register_custom_call_handler(platform, handler)
        if hasattr(xla_client, 'register_custom_type_handler'):
            xla_client.register_custom_type_handler(platform, type_handler)
