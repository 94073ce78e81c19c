"""Library code never ends the process, throws, or writes to the host's standard streams.

A consteval function may throw, since that is how it fails to compile. Any other
line that must do so anyway says why: `// lint: allow WORD: reason`, on it or on the line above.

usage: forbidden_words.py ROOT
"""

import re

import lint

FORBIDDEN = {
    'abort': re.compile(r'\babort\s*\('),
    'exit': re.compile(r'\b(?:_|quick_)?_?exit\s*\('),
    'terminate': re.compile(r'\bstd::terminate\b'),
    'throw': re.compile(r'\bthrow\b'),
    'cerr': re.compile(r'\bstd::(?:cerr|clog)\b|\bstderr\b'),
    'cout': re.compile(r'\bstd::cout\b|\bstdout\b|\bprintf\s*\('),
}
ALLOW = re.compile(r'//\s*lint: allow (\w+): \S')


def in_consteval(lines, index):
    """Whether line `index` stands in a consteval function: no closing brace in column 0 between."""
    for line in reversed(lines[:index + 1]):
        if 'consteval' in line:
            return True
        if line.startswith('}'):
            return False
    return False


def main():
    root = lint.root()
    files = [p for p in lint.files(root, ['src', 'include'], lint.INCLUDED_SUFFIXES)
             if p.parts[:2] != ('src', 'tools')]
    findings = []
    for path in files:
        text = (root / path).read_text()
        original = text.splitlines()
        lines = lint.blank_comments(text, strings=True).splitlines()
        for index, line in enumerate(lines):
            for word, pattern in FORBIDDEN.items():
                if pattern.search(line) and not (word == 'throw' and in_consteval(lines, index)):
                    near = original[max(index - 1, 0):index + 1]
                    if not any((m := ALLOW.search(n)) and m.group(1) == word for n in near):
                        findings.append(f'{path}:{index + 1}: {word}: {original[index].strip()}')
    lint.report(findings, f'{len(files)} files')


main()
