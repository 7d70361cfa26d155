// The table of what is written by hand and what is taken from a library is true.
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, tableRows } from '../readme/document.ts';
import { isThere, sourceFiles } from './repository.ts';

const rows = tableRows(
  readFileSync(join(root, 'docs/decisions.md'), 'utf8'),
  'Written by hand or taken from a library',
);
const served = rows.flatMap(([job = '', what = '']) =>
  [...what.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ job, name })),
);
const imports = sourceFiles()
  .filter(({ path }) => /^(?:src|tools)\/.*\.ts$/.test(path))
  .flatMap(({ text }) =>
    [...text.matchAll(/(?: from |import\.meta\.resolve\()'([^'.][^']*)'/g)].map(([, name]) => name),
  );

test('each job has what serves it, size, upkeep and reason', () => {
  expect(rows.length).toBeGreaterThan(18);
  expect(rows.filter((cells) => cells.length !== 5 || cells.some((cell) => cell === ''))).toEqual([]);
});

test('what serves a job is there: a file or folder, or a package that the code imports', () => {
  const isImported = (name: string): boolean =>
    imports.some((each) => each === name || each?.startsWith(`${name}/`) === true);
  expect(
    served.filter(({ name }) => !(/^(?:src|tools|tests)\//.test(name) ? isThere(name) : isImported(name))),
  ).toEqual([]);
});
