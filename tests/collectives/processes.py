"""Runs the tests of collectives in several processes at a time, which find each other by TCP or MPI.

usage: processes.py tcp|mpi|mpich COUNT EXECUTABLE ARGUMENT [--dies ID] [--passes PATTERN]

Each process runs the executable, with a filter of test cases as its argument. With --dies, that
process must be killed, and the others must pass. By MPI each prints what PATTERN matches, once, when
it has passed; mpich is MPI by the launcher of MPICH. 77: there is none.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys

SECONDS = 240


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    addresses = [f'127.0.0.1:{s.getsockname()[1]}' for s in sockets]
    for s in sockets:
        s.close()
    return addresses


def run_tcp(count, command, dies, _):
    addresses = free_addresses(count)
    processes = []
    for n in range(count):
        environment = dict(
            os.environ,
            SINTER_TEST_PROCESSES=f'tcp {n} ' + ' '.join(addresses),
            SINTER_TEST_PROCESS_COUNT=str(count),
            SINTER_TEST_PROCESS_ID=str(n),
        )
        processes.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    failed = False
    for n, process in enumerate(processes):
        try:
            output = process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            output = process.communicate()[0] + b'\nkilled: it took too long\n'
        expected = -signal.SIGKILL if n == dies else 0
        if process.returncode != expected:
            failed = True
            print(f'--- process {n} ended with {process.returncode}, expected {expected}')
            print(output.decode(errors='replace'))
    return 1 if failed else 0


def run_mpich(count, command, dies, pattern):
    return run_mpi(count, command, dies, pattern, launcher='mpirun.mpich')


def run_mpi(count, command, dies, pattern, launcher='mpirun'):
    mpirun = shutil.which(launcher)
    if mpirun is None:
        print(f'skipped: there is no {launcher}')
        return 77
    version = subprocess.run([mpirun, '--version'], capture_output=True, text=True, check=False)
    options = ['-n', str(count)]
    if 'Open MPI' in version.stdout or 'OpenRTE' in version.stdout:
        options += ['--oversubscribe', '--bind-to', 'none', '--mca', 'btl_vader_single_copy_mechanism', 'none']
        if os.geteuid() == 0:
            options.append('--allow-run-as-root')
        if dies is not None:
            options += ['--enable-recovery', '--continuous']
    environment = dict(os.environ, SINTER_TEST_PROCESSES='mpi', SINTER_TEST_PROCESS_COUNT=str(count))
    done = subprocess.run(
        [mpirun, *options, *command], env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    # Where one dies, what mpirun gives says nothing of the others; each prints that it has passed.
    passed = len(re.findall(pattern, done.stdout))
    if passed == count - (dies is not None) and (dies is not None or done.returncode == 0):
        return 0
    print(f'{passed} processes have passed; mpirun has ended with {done.returncode}')
    print(done.stdout, done.stderr)
    return 1


def main():
    arguments = sys.argv[1:]
    options = {'--dies': None, '--passes': 'All tests passed'}
    for name in options:
        if name in arguments:
            at = arguments.index(name)
            options[name] = arguments[at + 1]
            del arguments[at:at + 2]
    dies = None if options['--dies'] is None else int(options['--dies'])
    transport, count, *command = arguments
    run = {'tcp': run_tcp, 'mpi': run_mpi, 'mpich': run_mpich}[transport]
    return run(int(count), command, dies, options['--passes'])


if __name__ == '__main__':
    sys.exit(main())
