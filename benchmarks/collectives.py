"""All-reduces between devices of one process: sinter's plugin against XLA:CPU and the memory's limit.

    python collectives.py --library libsinter_pjrt.so [--seconds 1.0] [--rounds 3] [NAME ...]

`large_2` and `large_4` reduce 64 MB on each of 2 and 4 devices, `small_4` 1 KB on each of 4, by `psum` in a
`shard_map`. The two run in processes of their own, in turns; each figure is the best median of the rounds, in
milliseconds a call that is waited for. `limit` is the time in which the machine reads every operand and writes every
result once, at the rate of copies that `peak.c` measures before and after. Results are compared with NumPy's first.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

PROGRAMS = {'large_2': (2, 16 << 20), 'large_4': (4, 16 << 20), 'small_4': (4, 256)}  # devices, floats on each


def work(name, seconds):
    """Times one program in this process, and prints a JSON line."""
    import jax
    import numpy as np

    devices, size = PROGRAMS[name]
    if jax.config.jax_platforms == 'cpu':
        jax.config.update('jax_num_cpu_devices', devices)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:devices]), ('d',))
    parts = jax.sharding.PartitionSpec('d')
    host = np.arange(devices * size, dtype=np.float32).reshape(devices, size) % 1024
    x = jax.device_put(host, jax.sharding.NamedSharding(mesh, parts))
    reduce = jax.jit(
        jax.shard_map(lambda v: jax.lax.psum(v, 'd'), mesh=mesh, in_specs=parts, out_specs=parts, check_vma=False))
    y = reduce(x)
    for shard in y.addressable_shards:
        np.testing.assert_array_equal(np.asarray(shard.data)[0], host.sum(axis=0))
    del y
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        reduce(x).block_until_ready()
        times.append(time.perf_counter() - begin)
    print(json.dumps({'ms': 1e3 * statistics.median(times), 'calls': len(times)}))


def measure(name, platform, a):
    env = dict(os.environ, JAX_PLATFORMS=platform)
    if platform == 'sinter':
        env['SINTER_PJRT_LIBRARY'] = str(pathlib.Path(a.library).resolve())
        env['SINTER_DEVICES'] = str(PROGRAMS[name][0])
        plugin = pathlib.Path(__file__).resolve().parent.parent / 'src/python/jax'
        env['PYTHONPATH'] = os.pathsep.join([str(plugin), *filter(None, [env.get('PYTHONPATH')])])
    command = [sys.executable, __file__, '--worker', name, '--seconds', str(a.seconds)]
    return json.loads(subprocess.check_output(command, env=env, text=True).splitlines()[-1])['ms']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='*', default=[])
    parser.add_argument('--library')
    parser.add_argument('--seconds', type=float, default=1.0)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--worker')
    a = parser.parse_args()
    if a.worker:
        return work(a.worker, a.seconds)
    if not a.library:
        parser.error('--library is needed')
    from peers import peaks

    here = pathlib.Path(__file__).resolve().parent
    for name in a.names or PROGRAMS:
        before = peaks(here)['copy']
        rounds = [(measure(name, 'sinter', a), measure(name, 'cpu', a)) for _ in range(a.rounds)]
        copy = max(before, peaks(here)['copy'])
        own, xla = (min(column) for column in zip(*rounds))
        devices, size = PROGRAMS[name]
        limit = 1e3 * devices * size * 4 * 2 / copy
        print(f'{name}: {own:.3f} ms; XLA:CPU {xla:.3f} ms ({xla / own:.2f} x); limit {limit:.3f} ms '
              f'({own / limit:.2f} x of it)', flush=True)


if __name__ == '__main__':
    main()
