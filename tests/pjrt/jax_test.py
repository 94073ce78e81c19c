"""JAX on the plugin: what its Python package does, and the plugin by JAX's own calls.

usage: jax_test.py LIBRARY PACKAGE    (skipped, status 77, where there is no JAX)
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

LIBRARY, PACKAGE = sys.argv[1:3]
os.environ['SINTER_PJRT_LIBRARY'] = LIBRARY
os.environ['JAX_PLATFORMS'] = 'sinter'
sys.path.insert(0, PACKAGE)
try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import checkify, io_callback, sparse
    from jax.experimental.compilation_cache import compilation_cache
except ImportError as missing:
    print(f'skipped: {missing}')
    sys.exit(77)

MATRIX = np.random.RandomState(0).randn(8, 8).astype(np.float32)
SYMMETRIC = MATRIX @ MATRIX.T + np.eye(8, dtype=np.float32)

# A process has as many devices as it was started with.
SEVERAL_DEVICES = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
n = len(jax.devices())
assert n == 4, n
x = np.arange(3.0 * n, dtype=np.float32).reshape(n, 3)
total = jax.pmap(lambda a: jax.lax.psum(a, 'i') + jax.lax.axis_index('i'), axis_name='i')(x)
np.testing.assert_array_equal(total, x.sum(0) + np.arange(n)[:, None])
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ('a', 'b'))
by_hand = jax.shard_map(lambda a: jax.lax.psum(a, 'a'), mesh=mesh, in_specs=P('a', 'b'), out_specs=P(None, 'b'))
y = np.arange(32.0, dtype=np.float32).reshape(4, 8)
np.testing.assert_array_equal(jax.jit(by_hand)(y), y[:2] + y[2:])
loss = lambda w, a: (jnp.tanh(a @ w) ** 2).mean()
w, a = np.random.RandomState(1).randn(8, 4).astype('f'), np.random.RandomState(2).randn(6, 8).astype('f')
cut = jax.device_put(w, NamedSharding(mesh, P('b'))), jax.device_put(a, NamedSharding(mesh, P('a', 'b')))
uneven = jax.jit(lambda: jax.lax.with_sharding_constraint(jnp.arange(11.0), NamedSharding(mesh, P('a'))))()
np.testing.assert_array_equal(uneven, np.arange(11.0))
from jax.experimental.layout import Format, Layout
turned = Format(Layout(major_to_minor=(1, 0)), NamedSharding(mesh, P('a', 'b')))
z = jax.jit(lambda t: t * 2, in_shardings=(turned,), out_shardings=turned)(jax.device_put(y, turned))
assert z.format.layout.major_to_minor == (1, 0) and z.addressable_data(0).shape == (2, 4)
np.testing.assert_array_equal(z, 2 * y)
np.testing.assert_allclose(jax.jit(jax.grad(loss))(*cut), jax.grad(loss)(jnp.array(w), jnp.array(a)), rtol=1e-4, atol=1e-6)
half = lambda a: jax.pure_callback(lambda b: b / 2, a, a)
with jax.set_mesh(jax.make_mesh((n,), ('i',))):
    y = jax.shard_map(half, in_specs=P('i'), out_specs=P('i'))(jax.device_put(x, P('i')))
np.testing.assert_array_equal(y, x / 2)
seen = []
cut_rows = NamedSharding(Mesh(np.array(jax.devices()), ('i',)), P('i'))
once = jax.jit(lambda a: (io_callback(lambda b: seen.append(float(b.sum())), None, a), a)[1], in_shardings=cut_rows)
jax.block_until_ready(once(x))
jax.effects_barrier()
assert seen == [float(x.sum())], seen
"""


COUNTER = '''
#include <atomic>
#include <memory>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;
static std::atomic<int> living{0};
struct Counter {
  explicit Counter(int64_t from) : next(from) { ++living; }
  ~Counter() { --living; }
  int64_t next;
  static ffi::TypeId id;
  static ffi::TypeInfo info;
};
ffi::TypeId Counter::id = {};
ffi::TypeInfo Counter::info = ffi::MakeTypeInfo<Counter>();
static ffi::ErrorOr<std::unique_ptr<Counter>> MakeCounter(int64_t from) { return std::make_unique<Counter>(from); }
static ffi::Error CountOn(Counter* counter, ffi::Result<ffi::BufferR0<ffi::S32>> y) {
  y->typed_data()[0] = static_cast<int32_t>(counter->next++);
  return ffi::Error::Success();
}
// Changes the first element alone, where it is.
static ffi::Error IncreaseFirst(ffi::BufferR1<ffi::F32> x, ffi::Result<ffi::BufferR1<ffi::F32>> y) {
  if (x.typed_data() != y->typed_data()) return ffi::Error::Internal("two arrays");
  y->typed_data()[0] += 1;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Make, MakeCounter, ffi::Ffi::BindInstantiate().Attr<int64_t>("from"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Count, CountOn,
                              ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::BufferR0<ffi::S32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Increase, IncreaseFirst,
                              ffi::Ffi::Bind().Arg<ffi::BufferR1<ffi::F32>>().Ret<ffi::BufferR1<ffi::F32>>());
extern "C" void* TypeIdOfCounter() { return &Counter::id; }
extern "C" void* TypeInfoOfCounter() { return &Counter::info; }
extern "C" int Living() { return living; }
'''


# Each of two processes has two of four devices.
SEVERAL_PROCESSES = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
process = int(sys.argv[3])
jax.distributed.initialize(sys.argv[2], num_processes=2, process_id=process)
assert (jax.process_index(), jax.process_count()) == (process, 2)
assert (len(jax.devices()), len(jax.local_devices())) == (4, 2)
assert [d.process_index for d in jax.devices()] == [0, 0, 1, 1]
assert float(jax.jit(lambda x: x * 2)(21.0)) == 42
x = np.arange(6, dtype=np.float32).reshape(2, 3) + 100 * process
total = jax.pmap(lambda a: jax.lax.psum(a, 'i'), axis_name='i')(x)
np.testing.assert_array_equal(np.array(total), np.tile(2 * np.array([3, 5, 7]) + 200, (2, 1)))
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ('a', 'b'))
y = np.arange(32.0, dtype=np.float32).reshape(4, 8)
cut = lambda z, spec: jax.make_array_from_callback(z.shape, NamedSharding(mesh, spec), lambda index: z[index])
whole = lambda z: np.array(jax.jit(lambda t: t, out_shardings=NamedSharding(mesh, P()))(z).addressable_data(0))
by_hand = jax.shard_map(lambda a: jax.lax.psum(a, 'a'), mesh=mesh, in_specs=P('a', 'b'), out_specs=P(None, 'b'))
np.testing.assert_array_equal(whole(jax.jit(by_hand)(cut(y, P('a', 'b')))), y[:2] + y[2:])
loss = lambda w, a: (jnp.tanh(a @ w) ** 2).mean()
w, a = np.random.RandomState(1).randn(8, 4).astype('f'), np.random.RandomState(2).randn(6, 8).astype('f')
gradient = jax.jit(jax.grad(loss))(cut(w, P('b')), cut(a, P('a', 'b')))
np.testing.assert_allclose(whole(gradient), jax.grad(loss)(jnp.array(w), jnp.array(a)), rtol=1e-4, atol=1e-6)
print('passed', process)
"""


class JaxTest(unittest.TestCase):
    def close(self, actual, expected, tolerance=1e-4):
        np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=tolerance, atol=tolerance)

    def test_platform(self):
        self.assertEqual(jax.default_backend(), 'sinter')
        (device,) = jax.devices()
        self.assertEqual((device.platform, device.device_kind, device.id), ('sinter', 'sinter_cpu', 0))
        self.assertEqual(str(device.default_memory().kind), 'device')
        self.assertIn('bytes_in_use', device.memory_stats())

    def test_programs(self):
        x = jnp.arange(12.0).reshape(3, 4)
        self.close(jax.jit(lambda a, b: a @ b + 1)(x, x.T), np.arange(12.0).reshape(3, 4) @ np.arange(12.0).reshape(3, 4).T + 1)
        self.close(jax.grad(lambda a: (jnp.sin(a) ** 2).sum())(x), np.sin(2 * np.arange(12.0).reshape(3, 4)))
        self.assertEqual(int(jax.lax.fori_loop(0, 10, lambda i, a: a + i, 0)), 45)
        self.close(jnp.fft.ifft(jnp.fft.fft(jnp.arange(8.0))), np.arange(8.0))
        self.assertEqual(list(np.asarray(jnp.argsort(jnp.array([3.0, 1, 2])))), [1, 2, 0])
        self.assertEqual((jnp.zeros((0, 3)) + 1).shape, (0, 3))
        self.assertEqual(list(np.asarray(jnp.array([1, 2, 3], dtype=jnp.int4) + 1)), [2, 3, 4])

    def test_nothing_to_give(self):
        jax.block_until_ready(jax.jit(lambda x: ())(jnp.ones(3)))

        @jax.jit
        def used(x):
            jax.lax.dce_sink(x + 1, prevent_mlir_dce=True)
            return x * 2
        self.close(used(jnp.ones(3)), 2 * np.ones(3))

    def test_algorithms_of_products(self):
        x = jnp.ones((4, 4), jnp.float16)
        y = jax.lax.dot(x, x, precision=jax.lax.DotAlgorithmPreset.F16_F16_F32)
        self.close(y, 4 * np.ones((4, 4)))

    def test_branches_of_platforms(self):
        def choose(x, **branches):
            return jax.jit(lambda x: jax.lax.platform_dependent(x, **branches))(x)
        double, triple = (lambda x: 2 * x), (lambda x: 3 * x)
        one = jnp.ones(3)
        self.close(choose(one, cpu=double, tpu=triple), 2 * np.ones(3))
        self.close(choose(one, cpu=double, sinter=triple), 3 * np.ones(3))
        self.close(choose(one, tpu=double, default=triple), 3 * np.ones(3))
        self.close(jax.jit(lambda x, y: jax.lax.cond(y, double, triple, x))(one, True), 2 * np.ones(3))

    def test_exported_for_the_cpu(self):
        from jax import export
        shape = jax.ShapeDtypeStruct((3,), jnp.float32)
        f = jax.jit(lambda x: jax.lax.platform_dependent(x, cpu=lambda x: 2 * x, tpu=lambda x: 3 * x))
        for platforms in (['cpu'], ['tpu', 'cpu']):
            exported = export.export(f, platforms=platforms)(shape)
            self.close(jax.jit(exported.call)(jnp.ones(3)), np.full(3, 2.0))
        with self.assertRaisesRegex(ValueError, 'exported for'):
            export.export(f, platforms=['tpu'])(shape).call(jnp.ones(3))

    def test_random_bits(self):
        with jax.default_device(jax.devices('cpu')[0]):
            expected = jax.random.bits(jax.random.key(0), (4,))
        self.assertEqual(list(np.asarray(jax.random.bits(jax.random.key(0), (4,)))), list(np.asarray(expected)))
        self.assertEqual(jax.random.normal(jax.random.key(0, impl='rbg'), (4,)).shape, (4,))

    def test_linear_algebra(self):
        lower = jnp.linalg.cholesky(SYMMETRIC)
        self.close(lower @ lower.T, SYMMETRIC, 1e-3)
        values, vectors = jnp.linalg.eigh(SYMMETRIC)
        self.close(vectors @ jnp.diag(values) @ vectors.T, SYMMETRIC, 1e-3)
        u, s, vt = jnp.linalg.svd(MATRIX)
        self.close(u @ jnp.diag(s) @ vt, MATRIX, 1e-3)
        q, r = jnp.linalg.qr(MATRIX)
        self.close(q @ r, MATRIX, 1e-3)
        self.close(MATRIX @ jnp.linalg.solve(MATRIX, MATRIX), MATRIX, 1e-3)
        self.close(np.prod(np.asarray(jnp.linalg.eig(MATRIX)[0])).real, np.linalg.det(MATRIX), 1e-2)
        t, z = jax.scipy.linalg.schur(MATRIX)
        self.close(z @ t @ z.T, MATRIX, 1e-3)

    def test_numpy_without_a_copy(self):
        x = np.arange(64, dtype=np.float32)
        y = jax.device_put(x) * 2
        view = np.asarray(y)
        self.assertEqual(view.ctypes.data, y.unsafe_buffer_pointer())
        self.assertEqual(np.from_dlpack(y).ctypes.data, y.unsafe_buffer_pointer())
        self.close(jax.device_put(x.reshape(8, 8).T), x.reshape(8, 8).T)
        self.close(jax.device_put(x[::-3]), x[::-3])

    def test_donation(self):
        x = jnp.ones(1000)
        pointer = x.unsafe_buffer_pointer()
        y = jax.jit(lambda a: a * 2, donate_argnums=0)(x)
        self.assertTrue(x.is_deleted())
        self.assertEqual(y.unsafe_buffer_pointer(), pointer)

    def test_foreign_functions(self):
        # A handler as users write it, against the headers that jaxlib installs.
        compiler = shutil.which('c++')
        if compiler is None:
            self.skipTest('no compiler')
        import ctypes
        include = jax.ffi.include_dir()
        with tempfile.TemporaryDirectory() as folder:
            source, made = os.path.join(folder, 'counter.cc'), os.path.join(folder, 'counter.so')
            with open(source, 'w') as f:
                f.write(COUNTER)
            subprocess.run([compiler, '-std=c++17', '-O0', '-w', '-shared', '-fPIC', '-I', include, source, '-o', made],
                           check=True)
            library = ctypes.CDLL(made)
        library.TypeIdOfCounter.restype = library.TypeInfoOfCounter.restype = ctypes.c_void_p
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        jax.ffi.register_ffi_type('test.counter', {'type_id': capsule(library.TypeIdOfCounter(), None, None),
                                                   'type_info': capsule(library.TypeInfoOfCounter(), None, None)},
                                  platform='sinter')
        jax.ffi.register_ffi_target('test.count', {'instantiate': jax.ffi.pycapsule(library.Make),
                                                   'execute': jax.ffi.pycapsule(library.Count)}, platform='sinter')
        jax.ffi.register_ffi_target('test.increase', jax.ffi.pycapsule(library.Increase), platform='sinter')

        def count(first):
            return jax.ffi.ffi_call('test.count', jax.ShapeDtypeStruct((), np.int32), has_side_effect=True)(
                **{'from': np.int64(first)})

        both = jax.jit(lambda: (count(0), count(100)))
        self.assertEqual([tuple(map(int, both())) for _ in range(3)], [(0, 100), (1, 101), (2, 102)])
        self.assertEqual(library.Living(), 2)
        increase = jax.ffi.ffi_call('test.increase', jax.ShapeDtypeStruct((3,), np.float32), input_output_aliases={0: 0})
        x = jnp.arange(3.0)
        self.close(jax.jit(lambda a: (increase(a), a))(x)[0], [1, 1, 2])
        self.close(x, [0, 1, 2])

    def test_layouts(self):
        from jax.experimental.layout import Format, Layout
        sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
        columns = Format(Layout(major_to_minor=(1, 0)), sharding)
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        y = jax.device_put(x, columns)
        self.assertEqual(y.format.layout.major_to_minor, (1, 0))
        self.close(y, x)
        f = jax.jit(lambda a, b: (a @ b.T, a + b), in_shardings=(columns, None), out_shardings=(None, columns))
        product, total = f(y, x)
        self.assertEqual(total.format.layout.major_to_minor, (1, 0))
        self.assertEqual(product.format.layout.major_to_minor, (0, 1))
        self.close(product, x @ x.T)
        self.close(total, x + x)
        self.close(total + y, 3 * x)
        compiled = f.lower(y, x).compile()
        self.assertEqual([a.layout.major_to_minor for a in compiled.input_formats[0]], [(1, 0), (0, 1)])

    def test_sparse_products(self):
        matrix = np.where(MATRIX > 0.5, MATRIX, 0)
        vector = np.arange(8, dtype=np.float32)
        for form in (sparse.BCSR, sparse.BCOO):
            product = jax.jit(lambda a, b: a @ b)(form.fromdense(matrix), vector)
            np.testing.assert_allclose(product, matrix @ vector, rtol=1e-5)

    def test_memories(self):
        device = jax.devices()[0]
        self.assertEqual([m.kind for m in device.addressable_memories()], ['device', 'pinned_host', 'unpinned_host'])
        self.assertEqual(device.default_memory().kind, 'device')
        host = jax.sharding.SingleDeviceSharding(device, memory_kind='pinned_host')
        x = jax.device_put(np.arange(3, dtype=np.float32), host)
        self.assertEqual(x.sharding.memory_kind, 'pinned_host')
        self.assertEqual((x + x).sharding.memory_kind, 'pinned_host')
        y = jax.jit(lambda a: jax.device_put(a, jax.memory.Space.Device) * 2)(x)
        self.assertEqual(y.sharding.memory_kind, 'device')
        back = jax.jit(lambda a: a + 1, out_shardings=host)(y)
        self.assertEqual(back.sharding.memory_kind, 'pinned_host')
        self.close(back, [1, 3, 5])
        self.close(jax.device_put(back, jax.memory.Space.Device), [1, 3, 5])

    def test_donated_for_another_shape(self):
        x, y, z = jnp.arange(6.0), jnp.arange(3.0), jnp.arange(4.0)
        f = jax.jit(lambda a, b, c: (jnp.reshape(a, (2, 3)) + 1, b * c.sum()), donate_argnums=(0, 2))
        total, scaled = f(x, y, z)
        self.assertTrue(x.is_deleted())
        self.assertFalse(y.is_deleted())
        self.assertFalse(z.is_deleted())
        self.close(total, np.arange(1, 7).reshape(2, 3))
        self.close(scaled, [0, 6, 12])

    def test_callbacks(self):
        double = lambda a: np.asarray(a) * 2
        shape = jax.ShapeDtypeStruct((3,), np.float32)
        self.close(jax.jit(lambda a: jax.pure_callback(double, shape, a))(jnp.ones(3)), np.full(3, 2.0))
        one = lambda a: jax.pure_callback(double, jax.ShapeDtypeStruct((), np.float32), a, vmap_method='sequential')
        self.close(jax.vmap(one)(jnp.arange(3.0)), np.arange(3) * 2.0)
        seen = []

        def keep(a):
            seen.append(float(a))
            return np.float32(len(seen))

        def ordered(a):
            scalar = jax.ShapeDtypeStruct((), np.float32)
            io_callback(keep, scalar, a, ordered=True)
            jax.debug.callback(lambda v: seen.append(-float(v)), a, ordered=True)
            return io_callback(keep, scalar, a + 1, ordered=True)

        self.close(jax.jit(ordered)(jnp.float32(5)), 3)
        self.close(jax.jit(ordered)(jnp.float32(7)), 6)
        jax.effects_barrier()
        self.assertEqual(seen, [5, -5, 6, 7, -7, 8])

        def fail(_):
            raise ValueError('not today')

        with self.assertLogs('jax', level='ERROR'), self.assertRaisesRegex(jax.errors.JaxRuntimeError, 'not today'):
            jax.jit(lambda a: jax.pure_callback(fail, shape, a))(jnp.ones(3)).block_until_ready()
        wrong = lambda a: np.zeros(2, np.float32)
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, 'Incorrect output shape'):
            jax.jit(lambda a: jax.pure_callback(wrong, shape, a))(jnp.ones(3)).block_until_ready()

    def test_callbacks_of_narrow_numbers(self):
        for dtype, values in ((jnp.int4, [1, -2, 7, -8, 3]), (jnp.uint4, [1, 2, 15, 8, 3]), (jnp.int2, [1, -2, 0, -1, 1]),
                              (jnp.float4_e2m1fn, [0.5, -6, 1.5, 3, -0.5])):
            x = jnp.array(values, dtype=dtype)
            shape = jax.ShapeDtypeStruct(x.shape, dtype)
            seen = []

            def reverse(a):
                seen.append(np.asarray(a))
                return np.asarray(a)[::-1]

            y = jax.jit(lambda a: jax.pure_callback(reverse, shape, a))(x)
            self.assertEqual(seen[0].dtype, np.dtype(dtype))
            self.assertEqual(seen[0].tolist(), values, dtype)
            self.assertEqual(np.asarray(y).tolist(), values[::-1], dtype)

    def test_config_stays(self):
        self.assertEqual(jax.config.jax_platforms, 'sinter')
        self.assertEqual(jax.devices('cpu')[0].platform, 'cpu')

    def test_several_devices(self):
        done = subprocess.run([sys.executable, '-c', SEVERAL_DEVICES, PACKAGE], env={**os.environ, 'SINTER_DEVICES': '4'},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_several_processes(self):
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            address = f'127.0.0.1:{s.getsockname()[1]}'
        processes = [
            subprocess.Popen([sys.executable, '-c', SEVERAL_PROCESSES, PACKAGE, address, str(n)],
                             env={**os.environ, 'SINTER_DEVICES': '2'}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True) for n in range(2)]
        for n, process in enumerate(processes):
            output = process.communicate(timeout=240)[0]
            self.assertEqual(process.returncode, 0, output)
            self.assertIn(f'passed {n}', output)

    def test_checks(self):
        def f(x):
            checkify.check(x > 0, 'must be positive')
            return jnp.log(x)

        error, _ = checkify.checkify(jax.jit(f))(jnp.float32(-1))
        self.assertIn('must be positive', error.get())

    def test_compiled(self):
        compiled = jax.jit(lambda a: a * 2 + 1).lower(jnp.ones(4)).compile()
        self.assertIn('HloModule', compiled.as_text())
        self.assertEqual(compiled.cost_analysis()['flops'], 8)
        self.assertEqual(compiled.memory_analysis().argument_size_in_bytes, 16)
        from jax.experimental import serialize_executable
        loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
        self.close(loaded(jnp.ones(4)), np.full(4, 3.0))

    def test_persistent_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            jax.config.update('jax_compilation_cache_dir', folder)
            jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)
            try:
                compilation_cache.reset_cache()
                self.close(jax.jit(lambda a: a * 7)(jnp.ones(3)), np.full(3, 7.0))
                self.assertTrue(os.listdir(folder))
                jax.clear_caches()
                self.close(jax.jit(lambda a: a * 7)(jnp.ones(3)), np.full(3, 7.0))
            finally:
                jax.config.update('jax_compilation_cache_dir', None)
                compilation_cache.reset_cache()

    def test_errors(self):
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, 'no such target is registered'):
            jax.jit(lambda a: jax.ffi.ffi_call('nobody', jax.ShapeDtypeStruct(a.shape, a.dtype))(a))(jnp.ones(3))
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, 'sinter_colour'):
            jax.jit(lambda a: a, compiler_options={'sinter_colour': True})(jnp.ones(3))

    def test_compile_options(self):
        f = jax.jit(lambda a: a + 1, compiler_options={'sinter_allow_contraction': True, 'sinter_isa': 'sse4.2'})
        self.close(f(jnp.ones(3)), np.full(3, 2.0))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
