// Every command of the pages can be run: its target, command and files exist. (Those of the README are executed.)
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks, root } from '../readme/document.ts';
import { GROUPS, PARTS as PARTS_OF_BENCH } from '../../bench/groups.ts';
import { readOptions, USAGE } from '../../bench/options.ts';
import { GENERATORS } from '../clients/generators.ts';
import { PARTS as PARTS_OF_VALIDATION } from '../../tools/validate/parts.ts';
import { isThere, sourceFiles } from './repository.ts';

const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
const program = sourceFiles()
  .filter(({ path }) => path.startsWith('src/cli/'))
  .map(({ text }) => text)
  .join('\n');
const targets = new Set([...makefile.matchAll(/^([a-z-]+):.*## /gm)].map(([, name]) => name));

/** What may be named in place of a test file. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  clients: GENERATORS.map(({ name }) => name),
  bench: ['abuse', 'reads', 'memory', '--help', ...PARTS_OF_BENCH, ...GROUPS.map(({ name }) => name)],
  compare: ['--requests', '--help'],
  'citus-test': ['operations', 'moves', 'kills', 'functions', 'restore', 'patroni', 'events'],
  'cluster-test': ['switchover', 'rolling', 'upgrade', 'proxy'],
  faults: ['database', 'restarts'],
  validate: Object.keys(PARTS_OF_VALIDATION),
};

const pages = sourceFiles(['deploy']).filter(({ path }) => path.endsWith('.md') && path !== 'README.md');
const spans = pages.flatMap(({ path, text }) =>
  [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(
    ([, span = '']) => [path, span] as const,
  ),
);
const lines = pages.flatMap(({ path, text }) =>
  codeBlocks(text)
    .filter(({ language }) => language === 'sh')
    .flatMap((block) =>
      block.text
        .trim()
        .split('\n')
        .map((line) => [path, line] as const),
    ),
);

/** The command behind the variables that a line sets for it. */
const withoutSettings = (line: string): string => line.replace(/^(?:[A-Z_]+=\S+ )+/, '');

/** Why a command cannot be run; undefined when it can, or is no command of this project. */
function whyNot(command: string): string | undefined {
  const [first = '', second = '', ...rest] = command.split(/\s+/);
  if (first === 'make') {
    if (!targets.has(second)) return `make has no target ${second}`;
    const [, given = ''] = /ARGS="?([^"\s]+)/.exec(command) ?? [];
    const parts = PARTS[second];
    if (given === '' || (parts === undefined ? isThere(given) : parts.includes(given))) return undefined;
    return `make ${second} has no ${given}`;
  }
  if (first === './bin/partner') return program.includes(`'${second}`) ? undefined : `no command ${second}`;
  // Of psql the files are of the project, the rest is the operator's.
  const [, file] = first === 'psql' ? (/ -f (\S+)/.exec(command) ?? []) : [];
  if (file !== undefined) return isThere(file) ? undefined : `${file} is not there`;
  if (first === 'node') return isThere(second) ? undefined : `${[second, ...rest].join(' ')} is not there`;
  return undefined;
}

test('every line of a shell block is a command that this check knows, and can be run', () => {
  expect(lines.length).toBeGreaterThan(5);
  expect(
    lines.filter(
      ([, line]) => !/^(?:make|node|\.\/bin\/partner|psql|pg_basebackup) /.test(withoutSettings(line)),
    ),
  ).toEqual([]);
  expect(
    lines
      .map(([path, line]) => [path, line, whyNot(withoutSettings(line))])
      .filter(([, , why]) => why !== undefined),
  ).toEqual([]);
});

test('every command that a sentence names can be run', () => {
  expect(spans.filter(([, span]) => span.startsWith('make ')).length).toBeGreaterThan(8);
  expect(
    spans.map(([path, span]) => [path, span, whyNot(span)]).filter(([, , why]) => why !== undefined),
  ).toEqual([]);
});

test.each([
  'make nothing',
  'make test ARGS=tests/nothing',
  'make bench ARGS="nothing else"',
  './bin/partner nothing',
  'node tools/nothing.ts',
  'psql -f deploy/nothing.sql partner',
])('%s is told', (command) => {
  expect(whyNot(command)).toBeDefined();
});

test('make faults knows its parts', () => {
  const text = readFileSync(join(root, 'tests/faults/main.ts'), 'utf8') + makefile;
  expect(PARTS['faults']?.filter((part) => !text.includes(part))).toEqual([]);
});

test('make citus-test knows its parts', () => {
  const text = readFileSync(join(root, 'tests/citus/main.ts'), 'utf8');
  expect(PARTS['citus-test']?.filter((part) => !new RegExp(`ARGS="?${part}`).test(text))).toEqual([]);
});

test('make bench knows its parts, and says so in its help', () => {
  expect(PARTS['bench']?.filter((part) => !USAGE.includes(part))).toEqual([]);
  for (const part of PARTS_OF_BENCH) expect(readOptions([part])).toHaveProperty('groups');
});
