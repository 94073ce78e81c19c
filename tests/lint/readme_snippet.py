"""Writes the ```cpp blocks of a Markdown file to a C++ file: the first, a program of its own, or (--bodies) all,
each the body of a function. Status 77 where there is none.

usage: readme_snippet.py [--bodies] README.md OUT.cc
"""

import re
import sys
from pathlib import Path

PREAMBLE = '''#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "sinter/jit.h"

'''
BODY = '''[[maybe_unused]] static absl::Status Snippet%d(
    [[maybe_unused]] const std::shared_ptr<sinter::Client>& client,
    [[maybe_unused]] const sinter::Computation& computation,
    [[maybe_unused]] const std::vector<sinter::Buffer>& arguments) {
%s  return absl::OkStatus();
}
'''

bodies = sys.argv[1] == '--bodies'
source, out = Path(sys.argv[-2]), Path(sys.argv[-1])
blocks = re.findall(r'^```cpp\n(.*?)^```', source.read_text() if source.exists() else '', re.M | re.S)
if not blocks:
    print(f'skipped: {source.name} has no cpp block')
    sys.exit(77)
text = blocks[0]
if bodies:
    text = PREAMBLE + '\n'.join(BODY % (i, block) for i, block in enumerate(blocks))
out.parent.mkdir(parents=True, exist_ok=True)
if not out.exists() or out.read_text() != text:
    out.write_text(text)
