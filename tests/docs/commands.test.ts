// Every command of the pages can be run: its target, command and files exist. (Those of the README are executed.)
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks, root } from '../readme/document.ts';
import { isThere, sourceFiles } from './repository.ts';

const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
const program = sourceFiles()
  .filter(({ path }) => path.startsWith('src/cli/'))
  .map(({ text }) => text)
  .join('\n');
const targets = new Set([...makefile.matchAll(/^([a-z-]+):.*## /gm)].map(([, name]) => name));

const pages = sourceFiles().filter(({ path }) => path.endsWith('.md') && path !== 'README.md');
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

/** Why a command cannot be run; undefined when it can, or is no command of this project. */
function whyNot(command: string): string | undefined {
  const [first = '', second = '', ...rest] = command.split(/\s+/);
  if (first === 'make') {
    const paths = [...command.matchAll(/ARGS=(\S+)/g)].map(([, path = '']) => path);
    if (!targets.has(second)) return `make has no target ${second}`;
    return paths.every(isThere) ? undefined : `${paths.join(', ')} is not there`;
  }
  if (first === './bin/partner') return program.includes(`'${second}`) ? undefined : `no command ${second}`;
  if (first === 'node') return isThere(second) ? undefined : `${[second, ...rest].join(' ')} is not there`;
  return undefined;
}

test('every line of a shell block is a command that this check knows, and can be run', () => {
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter(([, line]) => !/^(?:make|node|\.\/bin\/partner) /.test(line))).toEqual([]);
  expect(
    lines.map(([path, line]) => [path, line, whyNot(line)]).filter(([, , why]) => why !== undefined),
  ).toEqual([]);
});

test('every command that a sentence names can be run', () => {
  expect(spans.filter(([, span]) => span.startsWith('make ')).length).toBeGreaterThan(8);
  expect(
    spans.map(([path, span]) => [path, span, whyNot(span)]).filter(([, , why]) => why !== undefined),
  ).toEqual([]);
});

test.each(['make nothing', 'make test ARGS=tests/nothing', './bin/partner nothing', 'node tools/nothing.ts'])(
  '%s is told',
  (command) => {
    expect(whyNot(command)).toBeDefined();
  },
);
