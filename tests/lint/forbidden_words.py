"""Library code never ends the process, throws, or writes to the host's standard streams.

A line that must do so anyway says why: `// lint: allow WORD: reason`, on it or on the line above.

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


def main():
    root = lint.root()
    files = [p for p in lint.files(root, ['src', 'include'], lint.INCLUDED_SUFFIXES)
             if p.parts[:2] != ('src', 'tools')]
    findings = []
    for path in files:
        text = (root / path).read_text()
        original = text.splitlines()
        for index, line in enumerate(lint.blank_comments(text, strings=True).splitlines()):
            for word, pattern in FORBIDDEN.items():
                if pattern.search(line):
                    near = original[max(index - 1, 0):index + 1]
                    if not any((m := ALLOW.search(n)) and m.group(1) == word for n in near):
                        findings.append(f'{path}:{index + 1}: {word}: {original[index].strip()}')
    lint.report(findings, f'{len(files)} files')


main()
