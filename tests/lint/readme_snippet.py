"""Writes the first ```cpp block of a Markdown file to a C++ file, if there is one (else status 77).

usage: readme_snippet.py README.md OUT.cc
"""

import re
import sys
from pathlib import Path

source, out = Path(sys.argv[1]), Path(sys.argv[2])
block = re.search(r'^```cpp\n(.*?)^```', source.read_text() if source.exists() else '', re.M | re.S)
if not block:
    print(f'skipped: {source.name} has no cpp block')
    sys.exit(77)
out.parent.mkdir(parents=True, exist_ok=True)
if not out.exists() or out.read_text() != block.group(1):
    out.write_text(block.group(1))
