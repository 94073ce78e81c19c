"""What the lints share: the tree's files, the list of rooms, the report."""

import re
import sys
from pathlib import Path

SOURCE_SUFFIXES = {'.h', '.cc'}
# Files that take part in #include but are not C++ files of their own.
INCLUDED_SUFFIXES = SOURCE_SUFFIXES | {'.def', '.inc'}


def root():
    return Path(sys.argv[1]).resolve()


def files(base, folders, suffixes=SOURCE_SUFFIXES):
    """Sorted paths, relative to `base`, of the files under `folders`."""
    found = []
    for folder in folders:
        if (base / folder).is_dir():
            found += [p.relative_to(base) for p in (base / folder).rglob('*') if p.suffix in suffixes]
    return sorted(found)


def blank_comments(text, strings=False):
    """`text` with comments (and, if asked, the insides of literals) blanked, lines kept."""
    pattern = re.compile(
        r'R"([^()\\ \n]{0,16})\(.*?\)\1"'       # raw string
        r'|"(?:\\.|[^"\\\n])*"'                  # string
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # character, not a digit separator
        r'|//[^\n]*|/\*.*?\*/', re.S)

    def blank(match):
        if match.group(0)[0] == '/' or strings:
            return re.sub(r'[^\n]', ' ', match.group(0))
        return match.group(0)

    return pattern.sub(blank, text)


class Room:
    def __init__(self, name, sees, externals):
        self.name, self.sees, self.externals = name, sees, externals


def read_rooms(path):
    """(rooms by name in order, owner by public header pattern, findings). The format: the head of the file."""
    rooms, owners, findings = {}, {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split('#')[0].strip()
        if not line:
            continue
        where = f'src/rooms.txt:{number}'
        match = re.fullmatch(r'(public )?([^:]+):\s*([^\[\]]*?)\s*(?:\[([^\]]*)\])?', line)
        if not match:
            findings.append(f'{where}: not understood: {line}')
            continue
        public, left, names, externals = match.groups()
        if public:
            if names not in rooms:
                findings.append(f'{where}: no room "{names}"')
            for header in left.split():
                if header in owners:
                    findings.append(f'{where}: {header} is already owned by {owners[header]}')
                owners[header] = names
            continue
        if left in rooms:
            findings.append(f'{where}: {left} stands twice')
        sees = set()
        for name in names.split():
            seen = [r for r in rooms if re.fullmatch(re.escape(name).replace(r'\*', '.*'), r)]
            if not seen:
                findings.append(f'{where}: {left} names {name}, which does not stand above it')
            sees.update(seen)
        rooms[left] = Room(left, sees, set((externals or '').split()))
    return rooms, owners, findings


def report(findings, checked):
    """Prints the findings and ends the process."""
    for finding in findings:
        print(finding)
    print(f'{len(findings)} findings in {checked}')
    sys.exit(1 if findings else 0)
