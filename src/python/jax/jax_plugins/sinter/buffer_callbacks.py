"""jax.experimental.buffer_callback: Python functions that read and write the program's memory."""

import numpy as np

from . import callbacks


class Buffer:
    """An array of the program while a function is called: what jax.experimental.buffer_callback.Buffer is on JAX's CPU."""

    def __init__(self, array, writeable: bool):
        if array.bits:
            raise NotImplementedError(f'{array.dtype.name} in a buffer_callback: its elements share bytes')
        self._view = array.stored.reshape(array.shape)
        self._view.flags.writeable = writeable

    @property
    def shape(self):
        return self._view.shape

    @property
    def dtype(self):
        return self._view.dtype

    @property
    def ndim(self):
        return self._view.ndim

    @property
    def writeable(self):
        return self._view.flags.writeable

    def __array__(self, dtype=None, copy=None):
        return np.array(self._view, dtype=dtype, copy=copy)

    def __dlpack__(self, **kwargs):
        return self._view.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._view.__dlpack_device__()


class ExecutionContext:
    """What the function is told of its run."""

    @property
    def stage(self):
        from jax.experimental import buffer_callback
        return buffer_callback.ExecutionStage.EXECUTE

    @property
    def stream(self):
        import jax
        raise jax.errors.JaxRuntimeError('XLA FFI GPU context is not available: the platform is the host')


class _BufferCallback(callbacks.Callback):
    def run(self, operands, results) -> None:
        self.function(ExecutionContext(), *(Buffer(o, writeable=False) for o in operands),
                      *(Buffer(r, writeable=True) for r in results))


def _lower(ctx, *args, callback, in_tree, out_tree, has_side_effect, input_output_aliases, **_):
    from jax._src import ffi, tree_util, util

    def call(context, *buffers):
        ins, outs = util.split_list(buffers, [in_tree.num_leaves])
        ins, named = tree_util.tree_unflatten(in_tree, ins)
        if callback(context, tree_util.tree_unflatten(out_tree, outs), *ins, **named) is not None:
            raise ValueError('buffer_callback callback must not return any values.')

    number = callbacks.add(ctx, _BufferCallback(call, tuple(ctx.avals_in), tuple(ctx.avals_out)))
    rule = ffi.ffi_lowering(callbacks.TARGET, has_side_effect=has_side_effect,
                            operand_output_aliases=dict(input_output_aliases))
    return rule(ctx, *args, id=number)


def register(platform: str) -> None:
    from jax._src import buffer_callback
    from jax._src.interpreters import mlir

    mlir.register_lowering(buffer_callback.buffer_callback_p, _lower, platform=platform)
