"""on_device.sh on the fake driver: the suite, the programs, the table; and what it says where there is no device.

usage: on_device_test.py BUILD FAKE_DRIVER

The comparison with JAX is not run: the Python that is given to the script has none.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

build, driver = sys.argv[1:]
script = pathlib.Path(__file__).parent / "on_device.sh"
failures = []


def run(*arguments, **environment):
    return subprocess.run(["bash", str(script), f"--build={build}", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, env=dict(os.environ, **environment))


def expect(what, holds, process):
    if not holds:
        failures.append(f"{what}: exit status {process.returncode}\n{process.stdout[-3000:]}")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    nothing = run(f"--driver={folder / 'libcuda.so.1'}", f"--results={folder / 'none.md'}")
    expect("without a driver: one line", nothing.returncode == 3 and
           re.fullmatch(r"no CUDA device: [^\n]+\n", nothing.stdout), nothing)
    expect("without a driver: no table", not (folder / "none.md").exists(), nothing)

    wrong = run("--nonsense")
    expect("wrong use", wrong.returncode == 2 and "on_device.sh" in wrong.stdout, wrong)

    program = folder / "sum.hlo"
    program.write_text("HloModule sum\nENTRY main {\n  x = f32[1000] parameter(0)\n  ROOT r = f32[1000] add(x, x)\n}\n")
    dumps = folder / "dumps"
    dumps.mkdir()
    hide_jax = folder / "site"
    hide_jax.mkdir()
    (hide_jax / "jax.py").write_text("raise ImportError('no JAX in this test')\n")
    table = folder / "table.md"
    whole = run(f"--driver={driver}", "--suite=add", f"--bench={program}", "--seconds=0.01", f"--results={table}",
                f"--python={sys.executable}", PYTHONPATH=str(hide_jax), SINTER_FLAGS=f"dump={dumps}",
                SINTER_FAKE_CUDA_DUMPS=str(dumps))
    expect("on the fake driver", whole.returncode == 0 and "All tests passed" in whole.stdout and
           "skipped: no JAX in this test" in whole.stdout, whole)
    text = table.read_text() if table.exists() else ""
    expect("the table", re.search(r"^\| sum \| [0-9.e-]+ \|", text, re.M) and "no JAX" in text and "CUDA driver" in text,
           whole)

    broken = folder / "broken.hlo"
    broken.write_text("HloModule broken\nENTRY main {\n  ROOT r = f32[] nonsense()\n}\n")
    fails = run(f"--driver={driver}", "--suite=add", f"--bench={broken}", "--seconds=0.01", f"--results={table}",
                f"--python={sys.executable}", PYTHONPATH=str(hide_jax), SINTER_FLAGS=f"dump={dumps}",
                SINTER_FAKE_CUDA_DUMPS=str(dumps))
    expect("a program that fails", fails.returncode == 1 and "failed" in table.read_text(), fails)

    packed = run(f"--pack={folder / 'pack.tar.gz'}")
    names = subprocess.run(["tar", "-tzf", str(folder / "pack.tar.gz")], stdout=subprocess.PIPE,
                           universal_newlines=True).stdout.split()
    expect("the package", packed.returncode == 0 and {"./build/release/bin/sinter",
           "./build/release/tests/bin/ops_on_device", "./tests/cuda/on_device/on_device.sh", "./tests/ops/add.hlo",
           "./benchmarks/compare_cuda.py"} <= set(names), packed)

print("\n".join(failures) or "ok")
sys.exit(1 if failures else 0)
