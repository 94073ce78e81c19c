"""Functions of the plugin that JAX does not call by itself: the registration of foreign functions."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

STAGES_EXTENSION, FFI_EXTENSION = 0, 5
STAGES = ('instantiate', 'prepare', 'initialize', 'execute')


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


class TypeInfo(Structure):
    _fields_ = [('deleter', c_void_p), ('serialize', c_void_p), ('deserialize', c_void_p)]


class ForeignTypeInfo(Structure):
    """XLA_FFI_TypeInfo: what a registration with JAX points to."""

    _fields_ = [('struct_size', c_size_t), ('extension_start', c_void_p), ('deleter', c_void_p)]


class HandlerRegisterArgs(Structure):
    _fields_ = [('struct_size', c_size_t), ('target_name', c_char_p), ('target_name_size', c_size_t),
                ('handler', c_void_p), ('platform_name', c_char_p), ('platform_name_size', c_size_t),
                ('traits', c_uint32)]


class StagesRegisterArgs(Structure):
    _fields_ = [('struct_size', c_size_t), ('function_name', c_char_p), ('function_name_size', c_size_t),
                ('api_version', c_int), *((stage, c_void_p) for stage in STAGES), ('traits', c_uint32)]


class StagesExtension(Structure):
    _fields_ = [('base', ExtensionBase), ('register', c_void_p)]


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
        self._ffi = self._extension(FFI_EXTENSION, FfiExtension)
        self._stages = self._extension(STAGES_EXTENSION, StagesExtension)

    def _extension(self, kind: int, struct):
        extension = self._api.extension_start
        while extension and extension.contents.type != kind:
            extension = extension.contents.next
        if not extension:
            raise RuntimeError('the plugin has no foreign functions')
        return ctypes.cast(extension, POINTER(struct)).contents

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

    def register_stages(self, name: str, stages: dict) -> None:
        """Makes XLA_FFI_Handlers the stages of the target `name` of this platform: addresses by names of STAGES."""
        target = name.encode()
        self._call(self._stages.register,
                   StagesRegisterArgs(0, target, len(target), 1, *(stages.get(stage) for stage in STAGES), 0))

    def register_type(self, name: str, type_id: int, deleter=None) -> int:
        """The id of a named type; 0 asks for one. `deleter`: the address of what destroys its objects."""
        info = TypeInfo(deleter, None, None)
        args = TypeRegisterArgs(0, None, name.encode(), len(name.encode()), type_id, ctypes.addressof(info))
        self._call(self._ffi.type_register, args)
        return args.type_id

    def register_with_jax(self, platform: str) -> None:
        """Takes what jax.ffi registers for the platform."""
        from jaxlib import xla_client

        def handler(name, function, xla_platform, api_version=1, traits=0):
            del xla_platform, traits
            if api_version != 1:
                raise NotImplementedError(f'{name}: platform {platform} has typed foreign functions only')
            name = name if isinstance(name, str) else name.decode()
            if not isinstance(function, dict):
                self.register_handler(name, pointer_of(function), platform)
                return
            others = sorted(set(function) - set(STAGES))
            if others:
                raise NotImplementedError(f'{name}: platform {platform} does not run the stages {others}')
            self.register_stages(name, {stage: pointer_of(of) for stage, of in function.items()})

        def type_handler(name, registration):
            capsule = registration['type_id'] if isinstance(registration, dict) else registration
            type_id = c_int64.from_address(pointer_of(capsule))
            info = registration.get('type_info') if isinstance(registration, dict) else None
            deleter = info and ForeignTypeInfo.from_address(pointer_of(info)).deleter
            type_id.value = self.register_type(name, type_id.value, deleter)

        xla_client.register_custom_call_handler(platform, handler)
        if hasattr(xla_client, 'register_custom_type_handler'):
            xla_client.register_custom_type_handler(platform, type_handler)
