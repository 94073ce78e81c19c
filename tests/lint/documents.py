"""What documents name exists: paths, presets, tiers, commands of the tool and their options, environment
variables, identifiers.

Looked at are code spans and fenced blocks of every Markdown file. A path is one from the document's folder, the
root, src/, include/ or tests/; `*`, `{a,b}`, `<name>` and words in capitals stand for any name in it. Names that a
document invents for an example stand in a comment of it: <!-- invented: hypot -->.

usage: documents.py ROOT
"""

import itertools
import json
import re

import lint

SKIPPED = {'build', '.git', '.cache'}
# Where the words of the tree are read from; programs of tests/ops and tests/cuda are data.
WORD_SUFFIXES = {'.h', '.cc', '.c', '.cu', '.def', '.py', '.txt', '.cmake', '.json', '.sh', '.map', ''}
PATH = re.compile(r'(?<![\w./<>*{},$%-])((?:[\w.<>*{},-]+/)*[\w.<>*{},-]*[\w>*}])(/?)(?![\w/])')
FILE_SUFFIX = re.compile(r'\.(?:cc|h|c|cu|md|py|txt|hlo|json|cmake|def|sh|mlir|map|svg)$')
# A folder of the root begins a path that has no suffix.
ROOTS = ('src/', 'include/', 'tests/', 'examples/', 'benchmarks/', 'third_party/', 'sinter/')
IDENTIFIER = re.compile(r'[A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)*(?:\(\))?')


def documents(root):
    found = (p.relative_to(root) for p in root.rglob('*.md'))
    return sorted(p for p in found if p.parts[0] not in SKIPPED)


def spans(text):
    """(line, code) of code spans and of the lines of fenced and indented blocks, with the block's language."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        if mark := re.match(r'\s*```(\w*)', line):
            fence = (mark.group(1) or 'text') if fence is None else None
        elif fence is not None:
            yield number, line, fence
        else:
            for span in re.findall(r'`([^`]+)`', line):
                yield number, span, 'span'


def braces(path):
    """What `a/{b,c}.h` stands for."""
    parts = [p[1:-1].split(',') if p[0] == '{' else [p] for p in re.split(r'(\{[^{}]*\})', path) if p]
    return [''.join(choice) for choice in itertools.product(*parts)]


class Tree:
    def __init__(self, root):
        self.root = root
        presets = json.loads((root / 'CMakePresets.json').read_text()) if (
            root / 'CMakePresets.json').exists() else {}
        self.presets = {p['name'] for p in presets.get('configurePresets', [])}
        self.words = set()
        for path in root.rglob('*'):
            parts = path.relative_to(root).parts
            if (path.suffix in WORD_SUFFIXES and parts[0] not in SKIPPED and path.is_file()
                    and not path.is_symlink()):
                self.words.update(re.findall(r'[A-Za-z_]\w*', path.read_text(errors='ignore')))
                self.words.add(path.stem)
        self.commands = self.options_of_the_tool()
        runner = root / 'tests/run'
        usage = re.search(r'tests/run \[([\w|]+)\]', runner.read_text()) if runner.exists() else None
        self.tiers = set(usage.group(1).split('|')) if usage else set()

    def options_of_the_tool(self):
        """Options by subcommand. A file that declares no subcommand declares options of all of them."""
        commands, shared = {}, {'--help', '--version'}
        for path in sorted((self.root / 'src/tools').glob('*.cc')):
            text = path.read_text()
            options = set(re.findall(r'--[a-z][\w-]*', ' '.join(
                re.findall(r'add_(?:option|flag|option_function|flag_callback)\w*(?:<[^>]*>)?\(\s*"([^"]*)"', text))))
            names = re.findall(r'add_subcommand\(\s*"([\w-]+)"', text)
            for name in names:
                commands.setdefault(name, set()).update(options)
            if not names:
                shared |= options
        return {name: options | shared for name, options in commands.items()}

    def exists(self, path, folder):
        for one in braces(path):
            pattern = re.sub(r'<[^<>]*>', '*', one)
            pattern = re.sub(r'(?<![A-Za-z])[A-Z][A-Z_]*[A-Z](?![A-Za-z])', '*', pattern) if not (
                self.root / one).exists() else pattern
            places = [self.root / folder, self.root, self.root / 'src', self.root / 'include',
                      self.root / 'tests']
            if not any(place.exists() and any(place.glob(pattern.rstrip('/'))) for place in places):
                return False
        return True


def wrong_paths(tree, folder, code):
    for name, slash in PATH.findall(code):
        if '..' in name or name.startswith('.') or 'build/' in name or '//' in code:
            continue
        is_path = FILE_SUFFIX.search(name) or (name + '/').startswith(ROOTS) and '/' in name + slash
        if is_path and not tree.exists(name, folder):
            yield f'no file {name}'


def wrong_commands(tree, code):
    for preset in re.findall(r'--preset[ =]([\w-]+)|build/(\w+)/', code):
        name = preset[0] or preset[1]
        if tree.presets and name not in tree.presets and not name.isupper():
            yield f'no preset {name}'
    for words in re.findall(r'tests/run((?: [\w|]+)+)', code):
        if tree.tiers and words.split()[0] not in tree.tiers:
            yield f'tests/run has no tier {words.split()[0]}'
    for label in re.findall(r'ctest\b.*? -L (\w+)', code):
        if label not in ('fast', 'standard', 'full'):
            yield f'no label {label}'
    for name, rest in re.findall(r'(?:^|[\s/])sinter ([a-z]+)\b([^|;]*)', code):
        if tree.commands and name not in tree.commands:
            yield f'sinter has no command {name}'
            continue
        for option in re.findall(r'(?<=\s)--[a-z][\w-]*', rest):
            if tree.commands and option not in tree.commands[name]:
                yield f'sinter {name} has no option {option}'


def wrong_names(tree, code, kind):
    for name in re.findall(r'\bSINTER_[A-Z_]+\b', code):
        if name not in tree.words:
            yield f'{name} is read nowhere'
    if kind != 'span' or not IDENTIFIER.fullmatch(code):
        return
    for word in code.rstrip('()').split('::'):
        looks_like_code = '_' in word or re.search(r'[a-z][A-Z]|^[A-Z][a-z]', word)
        if looks_like_code and word.lstrip('~') not in tree.words and word != 'std':
            yield f'no {word} in the tree'


def main():
    root = lint.root()
    tree = Tree(root)
    findings, found = [], documents(root)
    for path in found:
        text = (root / path).read_text()
        invented = set(' '.join(re.findall(r'<!-- invented: ([\w ]+?) -->', text)).split())
        for line, code, kind in spans(text):
            if kind not in ('span', 'sh', 'text', 'cmake'):
                continue
            for wrong in itertools.chain(wrong_paths(tree, path.parent, code), wrong_commands(tree, code),
                                         wrong_names(tree, code, kind)):
                if not any(name in wrong for name in invented):
                    findings.append(f'{path}:{line}: {wrong}')
    for room in lint.read_rooms(root / 'src/rooms.txt')[0]:
        if (root / 'src' / room).is_dir() and not (root / 'src' / room / 'README.md').exists():
            findings.append(f'src/rooms.txt: {room} has no README.md')
    lint.report(findings, f'{len(found)} documents')


main()
