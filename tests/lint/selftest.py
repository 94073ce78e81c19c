"""The lints find what they are for: each is run over small trees with one thing wrong.

usage: selftest.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent

CLEAN = {
    'src/rooms.txt': 'base: [fmt]\nlow: base\nhigh: base low\nback: base [llvm]\npublic low.h sub/*.h: low\ntools: *\n',
    'src/base/text.h': '#include <fmt/core.h>\n#include <vector>\n',
    'src/low/low.cc': '#include "sinter/low.h"\n#include "base/text.h"\n#include "absl/strings/str_cat.h"\n',
    'src/high/high.cc': '#include "low/low.h"\n#include "sinter/sub/x.h"\n// #include "back/back.h"\n',
    'src/low/low.h': 'inline const char* s = "abort("; // abort(\n',
    'src/back/back.cc': '#include <llvm/IR/Module.h>\n',
    'include/sinter/low.h': '#include "absl/status/status.h"\n#include <vector>\n',
    'include/sinter/sub/x.h': '#include "sinter/low.h"\n',
    'src/tools/cmd_run.cc': 'c = app.add_subcommand("run", ""); c->add_flag("--quick", x);\n',
    'src/base/README.md': '', 'src/low/README.md': '', 'src/high/README.md': '',
    'src/back/README.md': '', 'src/tools/README.md': '',
    'tests/run': '# tests/run [fast|full]\n',
    'CMakePresets.json': '{"configurePresets": [{"name": "dev"}]}\n',
}

# (lint, file, its contents or None for no such file, what must be said of it)
WRONG = [
    ('rooms', 'src/low/bad.cc', '#include "high/high.h"\n', 'low may not see high'),
    ('rooms', 'src/back/bad.cc', '#include "low/low.h"\n', 'back may not see low'),
    ('rooms', 'src/back/bad.cc', '#include "sinter/low.h"\n', 'back may not see low, which owns'),
    ('rooms', 'src/low/bad.cc', '#include "llvm/IR/Module.h"\n', 'low may not include llvm'),
    ('rooms', 'src/low/bad.cc', '\n#  include <fmt/format.h>\n', 'bad.cc:2: low may not include fmt'),
    ('rooms', 'src/low/bad.cc', '#include <cuda.h>\n', 'low may not include cuda'),
    ('rooms', 'src/low/bad.cc', '#include "low.h"\n', 'not written as'),
    ('rooms', 'src/low/bad.cc', '#include "low/none.h"\n', 'does not exist'),
    ('rooms', 'src/low/bad.cc', '#include "sinter/none.h"\n', 'owned by no room'),
    ('rooms', 'src/attic/bad.cc', '', 'no room'),
    ('rooms', 'src/low/deep/bad.cc', '', 'no room'),
    ('rooms', 'src/rooms.txt', 'low: base\nbase:\n', 'does not stand above'),
    ('rooms', 'include/sinter/bad.h', '', 'no room owns'),
    ('rooms', 'include/sinter/low.h', '#include "llvm/IR/Module.h"\n', 'public header'),
    ('rooms', 'include/sinter/low.h', '#include <fmt/core.h>\n', 'public header'),
    ('rooms', 'include/sinter/low.h', '#include "low/low.h"\n', 'not installed'),
    ('rooms', 'include/sinter/low.h', '#include "absl/container/flat_hash_map.h"\n', 'of Abseil only'),
    ('file_size', 'src/low/bad.cc', '\n' * 601, '601 lines'),
    ('file_size', 'tests/lint/long_files.txt', 'src/low/low.cc: because\n', 'has only'),
    ('file_size', 'tests/lint/long_files.txt', 'src/low/gone.cc: because\n', 'does not exist'),
    ('forbidden_words', 'src/low/bad.cc', 'int x;\nvoid f() { abort(); }\n', 'bad.cc:2: abort'),
    ('forbidden_words', 'src/low/bad.cc', 'void f() { exit (1); }\n', 'exit'),
    ('forbidden_words', 'src/low/bad.cc', 'void f() { throw 1; }\n', 'throw'),
    ('forbidden_words', 'src/low/bad.cc', 'consteval void g() {\n}\nvoid f() { throw 1; }\n', 'cc:3: throw'),
    ('forbidden_words', 'src/low/bad.cc', 'void f() { std::cerr << 1\'000; int y = \'"\'; }\n', 'cerr'),
    ('forbidden_words', 'include/sinter/low.h', 'void f() { std::cout << 1; }\n', 'cout'),
    ('format', 'src/low/bad.cc', 'int   x;\n', 'bad.cc:1'),
    ('documents', 'src/attic.md', 'x\n`src/low/none.cc`\n', 'src/attic.md:2: no file src/low/none.cc'),
    ('documents', 'src/low/README.md', '`none.h`\n', 'no file none.h'),
    ('documents', 'README.md', '`src/low/{low,none}.cc`\n', 'no file src/low/{low,none}.cc'),
    ('documents', 'README.md', '`src/*/none.cc`\n', 'no file src/*/none.cc'),
    ('documents', 'README.md', '```sh\ncmake --preset fast\n```\n', 'no preset fast'),
    ('documents', 'README.md', '```sh\nbash tests/run quick\n```\n', 'no tier quick'),
    ('documents', 'README.md', '`ctest --preset dev -L quick`\n', 'no label quick'),
    ('documents', 'README.md', '`sinter walk FILE`\n', 'no command walk'),
    ('documents', 'README.md', '`sinter run FILE --slow`\n', 'sinter run has no option --slow'),
    ('documents', 'README.md', '`SINTER_NONE=1`\n', 'SINTER_NONE is read nowhere'),
    ('documents', 'README.md', '`Low::NoneSuch()`\n', 'no Low'),
    ('documents', 'src/low/README.md', None, 'low has no README.md'),
]

# What must not be found.
RIGHT = [
    ('forbidden_words', 'src/low/good.cc', '// lint: allow cerr: asked for by the host\nauto* f = stderr;\n'),
    ('forbidden_words', 'src/low/good.cc', 'const char* s = R"(abort("x")";  /* throw\n throw */\n'),
    ('forbidden_words', 'src/low/good.cc', 'consteval void f() {\n  throw "two rows";\n}\n'),
    ('forbidden_words', 'src/tools/good.cc', 'int main() { std::cout << 1; exit(0); }\n'),
    ('file_size', 'src/low/good.cc', '\n' * 600),
    ('documents', 'README.md', '`src/*/low.cc`, `src/<room>/low.h`, `sinter run FILE --quick`, `low/`\n'),
    ('documents', 'src/low/README.md', '`low.cc` and `NAME.cc`, `base/text.h`\n'),
    ('documents', 'README.md', '`hypot.cc` <!-- invented: hypot -->\n'),
]


def run(lint, extra):
    with tempfile.TemporaryDirectory() as root:
        for path, contents in {**CLEAN, **extra}.items():
            if contents is None:
                continue
            (Path(root) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(root) / path).write_text(contents)
        done = subprocess.run([sys.executable, str(HERE / f'{lint}.py'), root], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def main():
    failed = 0
    cases = [(lint, {path: text}, said) for lint, path, text, said in WRONG]
    cases += [(lint, {path: text}, None) for lint, path, text in RIGHT]
    cases += [(lint, {}, None) for lint in ('rooms', 'file_size', 'forbidden_words', 'documents')]
    for lint, extra, said in cases:
        status, output = run(lint, extra)
        if status == 77:
            continue
        good = status == 0 if said is None else status == 1 and said in output
        if not good:
            failed += 1
            print(f'{lint} over {extra}: expected {said!r}, got status {status}:\n{output}')
    print(f'{len(cases)} cases, {failed} failed')
    sys.exit(1 if failed else 0)


main()
