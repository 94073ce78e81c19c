"""The shared library exports sinter's names only, needs no LLVM at run time, and is at most 45 MB stripped.

usage: check_library.py libsinter.so --map exports.map [--llvm-shared]
"""

import argparse
import fnmatch
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 45_000_000


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('library')
    parser.add_argument('--map', required=True)
    parser.add_argument('--llvm-shared', action='store_true')
    args = parser.parse_args()
    failures = []

    version_script = re.search(r'global:(.*?)local:', Path(args.map).read_text(), re.S).group(1)
    patterns = re.findall(r'[^\s;]+', version_script)
    names = [line.split()[-1] for line in output('nm', '-D', '--defined-only', args.library).splitlines()]
    names = [name.partition('@')[0] for name in names]
    strangers = [n for n in names if not any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    failures += [f'exports {output("c++filt", n).strip()}' for n in strangers[:20]]
    if not names:
        failures.append('exports nothing')

    needed = re.findall(r'NEEDED.*\[(.*)\]', output('readelf', '-d', args.library))
    if not args.llvm_shared:
        failures += [f'needs {n} at run time' for n in needed if re.match(r'lib(LLVM|fmt|hwy|z3)', n)]

    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(['strip', '-o', stripped.name, args.library], check=True)
        size = Path(stripped.name).stat().st_size
    if size > LIMIT:
        failures.append(f'{size} bytes stripped, more than {LIMIT}')

    for failure in failures:
        print(f'{args.library}: {failure}')
    print(f'{len(names)} exported names, {size / 1e6:.1f} MB stripped, needs {" ".join(needed)}')
    sys.exit(1 if failures else 0)


main()
