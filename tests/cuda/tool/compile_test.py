"""`sinter compile`: what it writes, and how it fails.

usage: compile_test.py SINTER PROGRAM

SINTER is the command-line tool, PROGRAM an HLO file with one kernel.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sinter, program = sys.argv[1:]
failures = []


def run(*arguments):
    """The ended process of `sinter compile ARGUMENTS`."""
    return subprocess.run([sinter, 'compile', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def expect(what, holds, process):
    if not holds:
        failures.append(f'{what}: exit status {process.returncode}, {process.stderr.decode()!r}')


def expect_text(word, *arguments):
    """The output holds `word`."""
    process = run(program, *arguments)
    expect(f'{arguments}: no {word!r}', process.returncode == 0 and word in process.stdout, process)


def expect_error(status, words, *arguments):
    """It ends with `status` and one line of error that holds `words`."""
    process = run(*arguments)
    line = process.stderr.decode()
    expect(f'{arguments}: no error {words!r}',
           process.returncode == status and words in line and not process.stdout, process)


expect_text(b'.target sm_90a', '--target=sm_90a')
expect_text(b'.visible .entry sinter_0_0', '--target=sm_80', '--emit=ptx')
expect_text(b'define ptx_kernel void @sinter_0_0(ptr addrspace(1)', '--target=sm_80', '--emit=llvm')
expect_text(b' warps ', '--target=sm_80', '--emit=kernel')
expect_text(b'\x7fELF', '--target=avx2')
expect_text(b'\x7fELF')
expect_text(b'.globl\tsinter_0_0', '--target=avx2', '--emit=asm')
expect_text(b'target triple = "x86_64', '--target=avx2', '--emit=llvm')
expect_text(b'for.par', '--emit=kernel')

with tempfile.TemporaryDirectory() as folder:
    written = Path(folder) / 'out.ptx'
    process = run(program, '--target=sm_90', '-o', str(written))
    expect('-o', process.returncode == 0 and not process.stdout and b'.target sm_90' in written.read_bytes(), process)
    process = run(program, '--target=sm_90', '-o', str(Path(folder) / 'none' / 'out.ptx'))
    expect('a folder that is not there', process.returncode == 3, process)
    broken = Path(folder) / 'broken.hlo'
    broken.write_text('HloModule broken\n\nENTRY main {\n  ROOT r = f32[] nonsense()\n}\n')
    expect_error(2, 'nonsense', str(broken), '--target=sm_90')

expect_error(2, 'sm_90a', program, '--target=sm_12')
expect_error(2, '--emit=obj', program, '--target=sm_90', '--emit=obj')
expect_error(2, '--emit=ptx', program, '--emit=ptx')
expect_error(64, 'usage', program, '--emit=nothing')
expect_error(64, 'usage')

print('\n'.join(failures) or 'ok')
sys.exit(1 if failures else 0)
