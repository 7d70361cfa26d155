// The recipes of docs/adding.md name the files that such a change really touches.
import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../readme/document.ts';
import { recipesOf, staleness } from './recipes.ts';
import { sourceFiles } from './repository.ts';

const files = sourceFiles();
const recipes = recipesOf(readFileSync(join(root, 'docs/adding.md'), 'utf8'));

test('there is a recipe for each usual change, with an example', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    'A field of a user',
    'An operation',
    'A notice or condition code',
    'An attribute of a device',
    'A preference of a device',
    'A device type',
    'A table',
  ]);
  for (const { example, paths } of recipes) {
    expect(example).toMatch(/^\w+$/);
    expect(paths.length).toBeGreaterThan(4);
  }
});

describe.each(recipes)('$title', (recipe) => {
  test('lists the files that name its example, and no other', () => {
    expect(staleness(recipe, files)).toEqual([]);
  });
});

test('a file that is not listed, and one that is listed in vain, are told', () => {
  const [recipe] = recipesOf('## Planted\n\nExample: `wallbox_planted`.\n\n1. `src/main.ts`: nothing.\n');
  const planted = { path: 'src/planted.ts', text: 'const wallbox_planted = 1;' };
  expect(recipe === undefined ? [] : staleness(recipe, [...files, planted])).toEqual([
    'not listed: src/planted.ts',
    'does not name wallbox_planted: src/main.ts',
  ]);
});
