"""How programs written by JAX touch global memory on a GPU: one kernel each, every array read once, 128 bits an access.

usage: accesses.py SINTER

SINTER is the command-line tool. Compiles every file of stablehlo/ and prints the accesses of its PTX.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

# Accesses that are narrower than 128 bits, and why.
NARROWER = {
    'axpy_16m': {'ld.global.nc.b32': 'the scalar'},
    'bias_mask_bf16': {'ld.global.nc.v2.b32': 'eight predicates beside eight bf16'},
    'scale_rows': {'ld.global.nc.b32': 'the factor of the row'},
    'transpose_add': {
        'ld.global.nc.b32': 'a warp reads 32 neighbours of a row',
        'st.global.b32': 'a warp writes 32 neighbours of a row',
    },
}

failures = []


def compile_to(sinter, program, what):
    return subprocess.run([sinter, 'compile', str(program), '--target=sm_90a', f'--emit={what}'],
                          check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def check(program, ptx, kernel):
    name = program.stem

    def expect(holds, what):
        if not holds:
            failures.append(f'{name}: {what}')

    expect(len(re.findall(r'\.entry', ptx)) == 1, 'is not one kernel')
    accesses = Counter(re.findall(r'(?:ld|st)\.global[a-z0-9.]*', ptx))
    expect(any(a.startswith('ld') for a in accesses) and any(a.startswith('st') for a in accesses),
           f'no loads or no stores: {accesses}')
    allowed = NARROWER.get(name, {})
    for access in accesses:
        expect(re.search(r'\.v4\.b32$|\.v2\.b64$', access) or access in allowed, f'{access} is not of 128 bits')
    for access in allowed:
        expect(access in accesses, f'{access} is no longer there')
    # One task a block, no loop inside: each element is loaded once.
    loops = re.findall(r'\bfor\.\S+ .*', kernel)
    expect(len(loops) == 1 and loops[0].startswith('for.par'), f'loops: {loops}')
    expect(' while ' not in kernel, 'a loop over scalars')
    constants = dict(re.findall(r'(%\w+):s64 = const (\d+)', kernel))
    tasks = int(constants[re.match(r'for\.par\.\w+ 1 %c0, (%\w+)', loops[0]).group(1)])
    for buffer, element, dims in re.findall(r'buffer @(\w+) (\w+) argument \[([^]]*)\]', kernel):
        touched = re.findall(rf'= load @{buffer}\b|store \S+ @{buffer}\b', kernel)
        expect(len(touched) == 1, f'@{buffer} is touched by {len(touched)} operations')
        elements = 1
        for extent in dims.split(', '):
            elements *= int(constants[extent])
        tile = re.search(rf':{element}(?:\[(\d+)x(\d+)[^]]*\])? = load @{buffer}\b', kernel)
        if tile and elements * 4 >= 4096 * 4096:  # not what is broadcast
            held = int(tile.group(1)) * int(tile.group(2)) * tasks
            expect(held == elements, f'{held} elements of @{buffer} are read, which has {elements}')
    print(f'{name:24}', ', '.join(f'{n} {access}' for access, n in sorted(accesses.items())))


programs = sorted((Path(__file__).parent / 'stablehlo').glob('*.mlir'))
if not programs:
    failures.append('no programs')
for program in programs:
    check(program, compile_to(sys.argv[1], program, 'ptx'), compile_to(sys.argv[1], program, 'kernel'))
print('\n'.join(failures) or 'ok')
sys.exit(1 if failures else 0)
