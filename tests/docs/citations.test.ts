// What a comment or a page cites is in the repository.
import { expect, test } from 'vitest';
import { brokenCitations } from './citations.ts';
import { sourceFiles } from './repository.ts';

const files = sourceFiles(['deploy']).filter(({ path }) => path !== 'tests/docs/citations.test.ts');

test('every file, page and heading that a comment or a page cites is there', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap((file) => brokenCitations(file, files))).toEqual([]);
});

test.each([
  ['src/planted.ts', '// See docs/nothing.md.', 'docs/nothing.md'],
  ['src/planted.ts', '/** As docs/webhooks.md#no-such-heading says. */', 'docs/webhooks.md#no-such-heading'],
  ['src/planted.ts', 'const a = 1; // as src/domain/nothing.ts does', 'src/domain/nothing.ts'],
  ['src/planted.ts', '// nothing-here.ts has it', 'nothing-here.ts'],
  ['src/planted.ts', '/* decided in decisions.md */', 'decisions.md'],
  ['src/planted.ts', '/** The battery (B6). */', '(B6)'],
  ['src/planted.ts', ' * by design section 3', 'design section 3'],
  ['migrations/planted.sql', '-- as src/queries/nothing.ts reads it', 'src/queries/nothing.ts'],
  ['openapi/planted.yaml', '# src/nothing', 'src/nothing'],
  ['docs/planted.md', '[a heading](webhooks.md#no-such-heading)', 'webhooks.md#no-such-heading'],
])('%s: %s is found', (path, text, cites) => {
  expect(brokenCitations({ path, text }, files)).toContainEqual({ path, cites });
});

test.each([
  ['src/planted.ts', '// docs/webhooks.md#retries, and src/domain.'],
  ['src/planted.ts', '// RFC 9110, 10.2.3; https://example.com/src/nothing.ts'],
  ['src/planted.ts', "const text = 'src/nothing.ts';"],
  ['docs/planted.md', '[retries](webhooks.md#retries)'],
])('%s: %s is in order', (path, text) => {
  expect(brokenCitations({ path, text }, files)).toEqual([]);
});
