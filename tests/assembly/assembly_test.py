"""What hot loops are made of: instructions that must be there, and such that cost and must not.

usage: assembly_test.py SINTER

Speed is for benchmarks to tell; this tells when a change upstream keeps code generation from
recognising what it has an instruction for, which no result shows.
"""

import re
import subprocess
import sys

EXP = """HloModule exp
ENTRY main {
  x = f32[64,1024] parameter(0)
  ROOT y = f32[64,1024] exponential(x)
}
"""

SINH = EXP.replace('exponential', 'sinh')

SOFTMAX = """HloModule softmax
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[64,1024] parameter(0)
  low = f32[] constant(-inf)
  top = f32[64] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[64,1024] broadcast(top), dimensions={0}
  less = f32[64,1024] subtract(x, tops)
  e = f32[64,1024] exponential(less)
  zero = f32[] constant(0)
  sum = f32[64] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[64,1024] broadcast(sum), dimensions={0}
  ROOT y = f32[64,1024] divide(e, sums)
}
"""

AXPY = """HloModule axpy
ENTRY main {
  a = f32[] parameter(0)
  x = f32[4096] parameter(1)
  y = f32[4096] parameter(2)
  as = f32[4096] broadcast(a), dimensions={}
  ax = f32[4096] multiply(as, x)
  ROOT r = f32[4096] add(ax, y)
}
"""

DOT = """HloModule dot
ENTRY main {
  x = f32[256,256] parameter(0)
  y = f32[256,256] parameter(1)
  ROOT r = f32[256,256] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""

DOT_BF16 = DOT.replace('f32', 'bf16').replace('HloModule dot', 'HloModule dot_bf16')
DOT_S8 = DOT.replace('HloModule dot', 'HloModule dot_s8').replace('r = f32', 'r = s32').replace('f32', 's8')

# Program, target, patterns that must match, patterns that must not.
CASES = [
    (EXP, 'avx512', [r'vscalefps.*zmm'], [r'vpsrad', r'\bcall']),
    (SINH, 'avx512', [r'vscalefps.*zmm'], [r'vpsrad', r'\bcall']),
    (EXP, 'avx2', [r'vfmadd.*ymm'], [r'zmm', r'\bcall']),
    (EXP, 'sse4.2', [r'mulps'], [r'ymm']),
    (SOFTMAX, 'avx512', [r'vscalefps.*zmm', r'vfnmadd.*ps.*zmm', r'prefetcht0'], [r'vcvtps2pd', r'\bcall']),
    (SOFTMAX, 'avx2', [r'vfnmadd.*ps.*ymm', r'prefetcht0'], [r'\bcall']),
    (AXPY, 'avx512', [r'vmulps.*zmm', r'vaddps.*zmm'], [r'vfmadd', r'\bcall', r'vgather']),
    (DOT, 'avx512', [r'vfmadd231ps.*zmm'], [r'\bcall', r'vgather']),
    (DOT, 'avx2', [r'vfmadd.*ymm'], [r'\bcall', r'vgather']),
    (DOT_BF16, 'avx512-bf16', [r'vdpbf16ps.*zmm'], [r'vfmadd', r'\bcall', r'vgather']),
    (DOT_S8, 'avx512-bf16', [r'vpdpbusd.*zmm'], [r'vfmadd', r'\bcall', r'vgather']),
    (DOT_BF16, 'avx512-amx', [r'ldtilecfg', r'tdpbf16ps', r'tilerelease'], [r'vfmadd', r'\bcall', r'vgather']),
    (DOT_S8, 'avx512-amx', [r'ldtilecfg', r'tdpbssd', r'tilerelease'], [r'vpdpbusd', r'\bcall', r'vgather']),
    (DOT_S8, 'avx2-vnni', [r'vpdpbusd.*ymm'], [r'vfmadd', r'zmm', r'\bcall', r'vgather']),
    (DOT_BF16, 'avx512', [r'vfmadd231ps.*zmm'], [r'vdpbf16ps', r'\bcall']),
    (DOT_S8, 'avx512', [r'vpmaddwd.*zmm'], [r'vpdpbusd', r'\bcall']),
]

sinter = sys.argv[1]
failures = []
for program, target, wanted, unwanted in CASES:
    name = program.split()[1]
    process = subprocess.run([sinter, 'compile', '--emit=asm', f'--target={target}', '-'],
                             input=program.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = process.stdout.decode()
    if process.returncode != 0 or not text:
        failures.append(f'{name} {target}: exit status {process.returncode}, {process.stderr.decode()!r}')
        continue
    failures += [f'{name} {target}: no {p}' for p in wanted if not re.search(p, text)]
    failures += [f'{name} {target}: {m.group(0)!r}' for p in unwanted if (m := re.search(p, text))]

print('\n'.join(failures) or f'ok: {len(CASES)} programs')
sys.exit(1 if failures else 0)
