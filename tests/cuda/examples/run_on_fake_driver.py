"""Runs examples/custom_call_cuda.cc on the fake driver.

usage: run_on_fake_driver.py EXAMPLE_SOURCE EXAMPLE LLVM_IR FAKE_DRIVER_FOLDER

The driver finds the IR of the example's own kernel as it finds that of compiled programs: in a folder
of dumps, beside the same PTX.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, example, ir, driver = sys.argv[1:]
ptx = re.search(r'R"ptx\((.*?)\)ptx"', pathlib.Path(source).read_text(), re.S).group(1)
with tempfile.TemporaryDirectory() as dumps:
    kernel = pathlib.Path(dumps) / "softmax_128"
    kernel.mkdir()
    (kernel / "70-module.ptx").write_text(ptx)
    (kernel / "60-module.ll").write_text(pathlib.Path(ir).read_text())
    environment = dict(os.environ, LD_LIBRARY_PATH=driver, SINTER_FLAGS="dump=" + dumps,
                       SINTER_FAKE_CUDA_DUMPS=dumps)
    result = subprocess.run([example], env=environment, capture_output=True, text=True)
print(result.stdout, result.stderr, sep="")
if result.returncode != 0 or "on cuda" not in result.stdout:
    sys.exit(f"exit status {result.returncode}")
