// docs/glossary.md: each term once, in the alphabet, with a place where it lives.
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../readme/document.ts';
import { isThere } from './repository.ts';

const rows = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, term = '', meaning = '', where = '']) => ({ term, meaning, where: where.replaceAll('`', '') }));

test('each term stands once, in the alphabet', () => {
  const terms = rows.map(({ term }) => term.toLowerCase());
  expect(terms.length).toBeGreaterThan(80);
  expect(terms).toEqual([...new Set(terms)].sort());
});

test('each has a meaning, and a file or folder that is there', () => {
  expect(rows.filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  expect(rows.filter(({ where }) => !isThere(where)).map(({ term, where }) => `${term}: ${where}`)).toEqual(
    [],
  );
});
