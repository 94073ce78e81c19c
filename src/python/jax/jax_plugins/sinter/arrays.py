"""DLPack: JAX exports arrays of platforms that it knows. Here the memory is the host's, so that numpy exports it."""


def register(platform: str) -> None:
    import numpy as np
    from jax._src import array, dlpack

    export_of_others = dlpack.to_dlpack
    device_of_others = array.ArrayImpl.__dlpack_device__

    def is_here(x, device=None) -> bool:
        return (device or next(iter(x.devices()))).platform == platform

    def to_dlpack(x, stream=None, src_device=None, dl_device=None, max_version=None, copy=None):
        if not is_here(x, src_device):
            return export_of_others(x, stream=stream, src_device=src_device, dl_device=dl_device,
                                    max_version=max_version, copy=copy)
        if dl_device is not None and int(dl_device[0]) != int(dlpack.DLDeviceType.kDLCPU):
            raise BufferError(f'arrays of {platform} are in the memory of the host')
        view = np.asarray(x)
        if max_version is None or max_version < (1, 0):
            # Those cannot say that nobody may write to the memory.
            if copy is False:
                raise BufferError('without a copy an array can be exported from version 1.0 of DLPack on')
            return view.copy().__dlpack__()
        return view.__dlpack__(max_version=max_version, copy=copy)

    def dlpack_device(x):
        if is_here(x):
            return dlpack.DLDeviceType.kDLCPU, 0
        return device_of_others(x)

    dlpack.to_dlpack = to_dlpack
    array.ArrayImpl.__dlpack_device__ = dlpack_device
