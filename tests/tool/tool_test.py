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


with tempfile.TemporaryDirectory() as name:
    sizes_of_inputs(Path(name))
    checks(Path(name))
print('\n'.join(failures))
sys.exit(1 if failures else 0)
