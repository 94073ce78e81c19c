"""Installs a build into a temporary prefix, builds the project consumer/ against it, runs its programs.

usage: run.py --cmake CMAKE --build DIR --cxx COMPILER --libdir lib --flags=FLAGS
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def run(command, **options):
    print('$', ' '.join(map(str, command)), flush=True)
    done = subprocess.run(list(map(str, command)), check=False, **options)
    if done.returncode:
        sys.exit(f'exit status {done.returncode}')


def main():
    parser = argparse.ArgumentParser()
    for option in ['--cmake', '--build', '--cxx', '--libdir', '--flags']:
        parser.add_argument(option, required=True)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        staging, prefix, build = scratch / 'staging', scratch / 'prefix', scratch / 'build'
        run([args.cmake, '--install', args.build, '--prefix', staging], stdout=subprocess.DEVNULL)
        # The package must not depend on where it was installed.
        shutil.move(staging, prefix)
        run([args.cmake, '-S', HERE / 'consumer', '-B', build, '-G', 'Ninja', f'-DCMAKE_PREFIX_PATH={prefix}',
             f'-DCMAKE_CXX_COMPILER={args.cxx}', f'-DCMAKE_CXX_FLAGS={args.flags}',
             '-DCMAKE_BUILD_TYPE=Release', '--no-warn-unused-cli'])
        run([args.cmake, '--build', build])
        for kind in ['sinter', 'static']:
            run([build / f'consumer_{kind}'])
        tool = prefix / 'bin/sinter'
        if tool.exists():
            run([tool, '--version'], env={k: v for k, v in os.environ.items() if k != 'LD_LIBRARY_PATH'})


main()
