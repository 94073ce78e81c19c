"""Every C++ file is formatted as .clang-format says, by clang-format 14 (others differ in details).

usage: format.py ROOT [--fix]
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import lint

FOLDERS = ['src', 'include', 'tests', 'examples', 'benchmarks']
VERSION = 'version 14.'


def find():
    for name in ['clang-format-14', 'clang-format']:
        if shutil.which(name) and VERSION in subprocess.run(
                [name, '--version'], capture_output=True, text=True, check=False).stdout:
            return name
    return None


def main():
    root = lint.root()
    program = find()
    if program is None:
        print('skipped: no clang-format 14')
        sys.exit(77)
    files = lint.files(root, FOLDERS)
    options = ['-i'] if '--fix' in sys.argv else ['--dry-run', '-Werror', '--ferror-limit=1']

    def check(path):
        run = subprocess.run([program, *options, str(path)], cwd=root, capture_output=True, text=True,
                             check=False)
        return run.stderr.splitlines()[0] if run.returncode else None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [f for f in pool.map(check, files) if f]
    if findings:
        findings.append('python3 tests/lint/format.py . --fix formats all')
    lint.report(findings, f'{len(files)} files')


main()
