"""Every #include respects src/rooms.txt: which room sees which, and which may use which outside library.

usage: rooms.py ROOT
"""

import fnmatch
import re

import lint

# Beginnings of include paths -> the name in the brackets of rooms.txt. None: no room may include it.
EXTERNALS = {
    'llvm/': 'llvm', 'llvm-c/': 'llvm',
    'fmt/': 'fmt',
    'hwy/': 'hwy',
    'xxhash.h': 'xxhash', 'xxh3.h': 'xxhash',
    'CLI/': 'cli11',
    'flatbuffers/': 'flatbuffers',
    'nlohmann/': 'json',
    'cuda': None,
}

# Public headers: the standard library, our own, and these. Abseil's containers must not cross the border
# of the shared library: their hash seeds differ between two copies of Abseil.
PUBLIC_ABSEIL = {'absl/status/status.h', 'absl/status/statusor.h', 'absl/types/span.h'}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def owner_of(header, owners):
    """The room of public header `header` (a path below include/sinter/), or None."""
    for pattern, room in owners.items():
        if fnmatch.fnmatchcase(header, pattern):
            return room
    return None


def main():
    root = lint.root()
    rooms, owners, findings = lint.read_rooms(root / 'src/rooms.txt')
    files = lint.files(root, ['src', 'include'], lint.INCLUDED_SUFFIXES)

    for path in files:
        public = path.parts[0] == 'include'
        if public:
            if path.parts[1] != 'sinter':
                findings.append(f'{path}:1: public headers live in include/sinter/')
                continue
            header = '/'.join(path.parts[2:])
            name = owner_of(header, owners)
            if name is None:
                findings.append(f'{path}:1: no room owns this header; name it in src/rooms.txt')
                continue
        else:
            name = '/'.join(path.parts[1:-1])
        if name not in rooms:
            findings.append(f'{path}:1: the folder src/{name} is no room of src/rooms.txt')
            continue
        room = rooms[name]

        text = lint.blank_comments((root / path).read_text())
        for match in INCLUDE.finditer(text):
            bracket, included = match.groups()
            where = f'{path}:{text.count(chr(10), 0, match.start(2)) + 1}'
            reason = judge(root, rooms, owners, room, public, bracket, included)
            if reason:
                findings.append(f'{where}: {reason}')

    lint.report(findings, f'{len(files)} files, {len(rooms)} rooms')


def judge(root, rooms, owners, room, public, bracket, included):
    """Why `room` may not include `included`, or None."""
    for beginning, external in EXTERNALS.items():
        if included.startswith(beginning):
            if public:
                return f'a public header includes {included}'
            if external not in room.externals:
                return f'{room.name} may not include {included} (src/rooms.txt gives it {sorted(room.externals)})'
            return None
    if included.startswith('sinter/'):
        target = owner_of(included[len('sinter/'):], owners)
        if target is None:
            return f'{included} is owned by no room of src/rooms.txt'
        if target != room.name and target not in room.sees:
            return f'{room.name} may not see {target}, which owns {included}'
        return None
    if included.startswith('absl/'):
        if public and included not in PUBLIC_ABSEIL:
            return f'a public header includes {included}; of Abseil only {", ".join(sorted(PUBLIC_ABSEIL))}'
        return None
    if bracket == '<':
        if public and '/' in included:
            return f'a public header includes <{included}>'
        return None
    if public:
        return f'a public header includes {included}, which is not installed'
    target = included.rpartition('/')[0]
    if target not in rooms:
        return f'"{included}" is not written as "room/file.h"'
    if target != room.name and target not in room.sees:
        return f'{room.name} may not see {target}'
    made_of = re.sub(r'_generated\.h$', '.fbs', included)  # by flatc, of the schema beside it
    if not (root / 'src' / made_of).exists():
        return f'{included} does not exist'
    return None


main()
