"""The platform "sinter" of JAX.

JAX finds this module by its entry point and calls initialize(), before it makes its first client.
"""

import ctypes
import os
from pathlib import Path

PLATFORM = 'sinter'


def library_path() -> Path:
    """The plugin: what SINTER_PJRT_LIBRARY names, else the one that came with the package."""
    named = os.environ.get('SINTER_PJRT_LIBRARY')
    return Path(named) if named else Path(__file__).resolve().parent / 'libsinter_pjrt.so'


def _client_options() -> dict:
    """Of the client that JAX makes: as many devices as its flag jax_num_cpu_devices says."""
    from jax._src import xla_bridge

    devices = xla_bridge.num_cpu_devices.value
    return {'devices': devices} if devices > 0 else {}


def initialize() -> None:
    """Registers the plugin and what JAX knows by the names of platforms."""
    from jax._src import xla_bridge

    from . import arrays, buffer_callbacks, callbacks, extensions, lowering

    path = library_path()
    xla_bridge.register_plugin(PLATFORM, priority=500, library_path=str(path), options=_client_options)
    # JAX has loaded it by now; this is the same copy.
    foreign = extensions.ForeignFunctions(ctypes.CDLL(str(path)))
    lowering.register(PLATFORM)
    arrays.register(PLATFORM)
    callbacks.register(PLATFORM, foreign)
    buffer_callbacks.register(PLATFORM)
    foreign.register_with_jax(PLATFORM)
