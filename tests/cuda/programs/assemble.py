"""Assembles the code of every program beside this file with ptxas: no warnings, no spills.

usage: assemble.py SINTER

SINTER is the command-line tool. Prints the registers of each kernel. Ends with 77 (skipped) where there is no ptxas.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = ['sm_80', 'sm_90a', 'sm_100']


def find_ptxas():
    """The path of ptxas, or None."""
    found = shutil.which('ptxas')
    if found:
        return found
    candidates = sorted(glob.glob('/usr/local/cuda*/bin/ptxas'))
    return candidates[-1] if candidates else None


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)


def check_softmax(ptx):
    """A row is read once, by 128-bit loads, in one kernel."""
    findings = []
    if len(re.findall(r'\.entry', ptx)) != 1:
        findings.append('softmax is not one kernel')
    threads = int(re.search(r'\.maxntid (\d+)', ptx).group(1))
    loads = re.findall(r'ld\.global\S*', ptx)
    if any('.v4.' not in load for load in loads):
        findings.append('loads that are not of 128 bits: ' + ' '.join(loads))
    if 'bra' in re.findall(r'\bbra\b', ptx) and re.search(r'\$L__BB\d+_\d+:(?s:.)*bra \t?\$L__BB0_1\b', ptx):
        findings.append('a loop over the row')
    # The block's rows and columns: 16 bytes a thread and load.
    elements = threads * 4 * len(loads)
    if elements % 1024 != 0:
        findings.append(f'{len(loads)} loads of {threads} threads are not whole rows')
    return findings


CHECKS = {'softmax_4096x1024': check_softmax}


def assemble(sinter, ptxas, program, target, folder):
    """Findings about one program on one target; prints its registers."""
    ptx_file = Path(folder) / f'{program.stem}.{target}.ptx'
    compiled = run([sinter, 'compile', str(program), f'--target={target}', '-o', str(ptx_file)])
    if compiled.returncode != 0:
        return [compiled.stdout.strip()]
    assembled = run([ptxas, f'-arch={target}', '-v', str(ptx_file), '-o', str(ptx_file) + '.cubin'])
    findings = []
    if assembled.returncode != 0:
        findings.append(assembled.stdout.strip())
    for line in assembled.stdout.splitlines():
        if 'warning' in line.lower():
            findings.append(line)
        spills = re.search(r'(\d+) bytes spill stores, (\d+) bytes spill loads', line)
        if spills and (int(spills.group(1)) or int(spills.group(2))):
            findings.append(line.strip())
    registers = re.findall(r'Used (\d+) registers', assembled.stdout)
    if not registers and not findings:
        findings.append('ptxas found no kernel')
    print(f'{program.stem:28} {target:8} registers {" ".join(registers)}')
    if program.stem in CHECKS:
        findings += CHECKS[program.stem](ptx_file.read_text())
    return findings


def main():
    ptxas = find_ptxas()
    if ptxas is None:
        print('skipped: there is no ptxas')
        sys.exit(77)
    programs = sorted(Path(__file__).parent.glob('*.hlo'))
    failed = not programs
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            for target in TARGETS:
                for finding in assemble(sys.argv[1], ptxas, program, target, folder):
                    print(f'{program.name}: {target}: {finding}')
                    failed = True
    sys.exit(1 if failed else 0)


main()
