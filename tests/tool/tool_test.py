"""The command line tool: what its commands make of programs and inputs.

usage: tool_test.py SINTER
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sinter = sys.argv[1]
failures = []


def run(*arguments):
    """The ended process of `sinter ARGUMENTS`."""
    return subprocess.run([sinter, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)


def expect(what, holds, process):
    if not holds:
        failures.append(f'{what}: exit status {process.returncode}, {process.stdout!r}, {process.stderr!r}')


def write_npy(path, values):
    """A vector of f32 as .npy."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() +
                     struct.pack(f'<{len(values)}f', *values))


def sizes_of_inputs(folder):
    """Dimensions that a program leaves open have the sizes of the inputs, for each command."""
    program, x, spec = folder / 'open.mlir', folder / 'x.npy', folder / 'spec.json'
    program.write_text('func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n'
                       '  %0 = stablehlo.add %x, %x : tensor<?xf32>\n'
                       '  return %0 : tensor<?xf32>\n}\n')
    write_npy(x, [1, 2, 3])
    for device in ('eval', 'cpu'):
        process = run('run', program, '--device', device, '--input', x)
        expect(f'run on {device}', process.stdout == 'f32[3] {2, 4, 6}\n', process)
    process = run('diff', program, '--input', x)
    expect('diff', process.returncode == 0 and process.stdout == 'output 0, cpu: 0 ulp\n', process)
    spec.write_text('{"inputs": [{"shape": [5], "type": "float32", "distribution": "iota"}]}')
    process = run('bench', program, '--inputs', spec, '--seconds', '0', '--json')
    expect('bench', process.returncode == 0 and json.loads(process.stdout)['name'] == 'open', process)
    process = run('opt', program, '--input', x)
    expect('opt', process.returncode == 0 and 'f32[3] add(' in process.stdout, process)
    process = run('explain', program, '--input', x)
    expect('explain', process.returncode == 0 and 'f32[3]' in process.stdout, process)
    process = run('compile', program, '--input', x, '--emit', 'kernel')
    expect('compile', process.returncode == 0 and process.stdout, process)
    process = run('opt', program)
    expect('opt without sizes', process.returncode == 2 and 'argument 0 (x) is f32[?], its shape must be given' in process.stderr, process)


def profiles(folder):
    """bench --profile: a table, JSON and a trace of the same steps; explain: kernels, and why there are several."""
    program, trace = folder / 'loop.mlir', folder / 'trace.json'
    program.write_text('func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {\n'
                       '  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n'
                       '  %0 = stablehlo.tanh %x : tensor<1000xf32>\n'
                       '  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]'
                       ' : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>\n'
                       '  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1000xf32>\n'
                       '  %3 = stablehlo.subtract %0, %2 : tensor<1000xf32>\n'
                       '  return %3 : tensor<1000xf32>\n}\n')
    process = run('bench', program, '--seconds', '0', '--profile', '--json', f'--profile-trace={trace}')
    expect('profile', process.returncode == 0, process)
    if process.returncode != 0:
        return
    profile = json.loads(process.stdout)['profile']
    kernels = [s for s in profile['steps'] if s['kind'] == 'kernel']
    expect('kernels of the profile', len(kernels) >= 2 and all(s['calls'] == profile['runs'] for s in kernels), process)
    expect('bytes', sum(s['bytes_read'] for s in kernels) >= 4000, process)
    times = [s['total_us'] for s in profile['steps']]
    expect('order', times == sorted(times, reverse=True), process)
    events = [e for e in json.loads(trace.read_text())['traceEvents'] if e['ph'] == 'X' and e['args'].get('bytes_read') is not None]
    expect('trace', len(events) == sum(s['calls'] for s in profile['steps']), process)
    expect('names', {e['name'] for e in events} == {s['name'] for s in profile['steps']}, process)
    process = run('bench', program, '--seconds', '0', '--profile')
    expect('table', all(s['name'] in process.stdout for s in kernels) and '% of limit' in process.stdout, process)
    process = run('bench', program, '--seconds', '0', '--profile', '--device=eval')
    expect('no profile', process.returncode == 2 and 'interpreter' in process.stderr, process)
    process = run('explain', program, '--device=cpu', '--threads=1')
    expect('explain', process.returncode == 0 and 'tanh f32[1000]' in process.stdout and 'not fused: ' in process.stdout, process)


def checks(folder):
    """check.expect_almost_eq is held to its tolerance; --check=strict to units in the last place."""
    program = folder / 'check.mlir'

    def check(value, tolerance, device, *options):
        program.write_text('func.func @main() {\n'
                           '  %x = stablehlo.constant dense<1.0> : tensor<2xf32>\n'
                           f'  %y = stablehlo.constant dense<{value}> : tensor<2xf32>\n'
                           f'  check.expect_almost_eq %x, %y{tolerance} : tensor<2xf32>, tensor<2xf32>\n'
                           '  return\n}\n')
        return run('run', program, '--device', device, *options)

    for device in ('eval', 'cpu'):
        for value, tolerance, passes in (
                (1.00009, '', True), (1.0002, '', False),  # 1e-4 unless the attribute says otherwise
                (1.4, ', tolerance = 0.5', True), (1.6, ', tolerance = 0.5', False)):
            process = check(value, tolerance, device)
            expect(f'{value}{tolerance} on {device}', (process.returncode == 0) == passes, process)
            process = check(value, tolerance, device, '--check=strict')
            expect(f'{value}{tolerance} on {device}, strict', process.returncode != 0, process)
        process = check('1.0000001', '', device, '--check=strict')
        expect(f'one unit on {device}, strict', process.returncode == 0, process)


def platforms(folder):
    """A file of jax.export holds code for several platforms: the CPU's unless another is named."""
    exported = Path(__file__).parent.parent / 'jax_export' / 'programs' / 'platforms.jaxexport'
    x = folder / 'three.npy'
    write_npy(x, [1, 2, 3])
    for platform, first in (((), '2, 3, 4'), (('--platform=cpu',), '2, 3, 4'), (('--platform=cuda',), '3, 4, 5')):
        process = run('run', exported, '--input', x, '--input', x, '--device=eval', *platform)
        expect(f'platform {platform}', process.stdout.startswith('f32[3] {' + first + '}'), process)
    process = run('opt', exported, '--platform=tpu')
    expect('no such platform', process.returncode == 2 and 'exported for cuda, cpu, not for tpu' in process.stderr, process)


def numbers(folder):
    """What results may differ by is an option of commands that run."""
    program, x = folder / 'numbers.mlir', folder / 'tiny.npy'
    write_npy(x, [1e-30, 3e-39, 1])
    program.write_text('func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {\n'
                       '  %0 = stablehlo.multiply %x, %x : tensor<3xf32>\n'
                       '  %1 = stablehlo.add %x, %x : tensor<3xf32>\n'
                       '  return %0, %1 : tensor<3xf32>, tensor<3xf32>\n}\n')
    kept, flushed = (run('run', program, '--input', x, *options) for options in ((), ('--flush-denormals',)))
    expect('denormals kept', 'e-39' in kept.stdout.splitlines()[1], kept)
    expect('denormals flushed', ', 0, 2' in flushed.stdout.splitlines()[1], flushed)
    for option in ('--allow-contraction', '--allow-excess-precision'):
        process = run('run', program, '--input', x, option)
        expect(option, process.returncode == 0 and process.stdout == kept.stdout, process)


with tempfile.TemporaryDirectory() as name:
    numbers(Path(name))
    platforms(Path(name))
    sizes_of_inputs(Path(name))
    profiles(Path(name))
    checks(Path(name))
print('\n'.join(failures))
sys.exit(1 if failures else 0)
