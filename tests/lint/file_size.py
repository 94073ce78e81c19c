"""No file is longer than 600 lines, but for those of long_files.txt, which gives each a reason.

usage: file_size.py ROOT
"""

import lint

LIMIT = 600


def main():
    root = lint.root()
    reasons, findings = {}, []
    listed = root / 'tests/lint/long_files.txt'
    for number, line in enumerate(listed.read_text().splitlines() if listed.exists() else [], 1):
        line = line.split('#')[0].strip()
        if line:
            path, _, reason = line.partition(':')
            if not reason.strip():
                findings.append(f'tests/lint/long_files.txt:{number}: {path} stands without a reason')
            reasons[path.strip()] = number

    files = lint.files(root, ['src', 'include'], lint.INCLUDED_SUFFIXES)
    for path in files:
        lines = len((root / path).read_text().splitlines())
        number = reasons.pop(str(path), None)
        if lines > LIMIT and number is None:
            findings.append(f'{path}:{LIMIT}: {lines} lines; split it, or give a reason in tests/lint/long_files.txt')
        if lines <= LIMIT and number is not None:
            findings.append(f'tests/lint/long_files.txt:{number}: {path} has only {lines} lines')
    for path, number in reasons.items():
        findings.append(f'tests/lint/long_files.txt:{number}: {path} does not exist')
    lint.report(findings, f'{len(files)} files')


main()
