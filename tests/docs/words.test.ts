// One word for one thing: words that were dropped stay away from names, comments, messages, SQL and pages.
import { expect, test } from 'vitest';
import { sourceFiles } from './repository.ts';
import { droppedWordsIn } from './words.ts';

const files = sourceFiles().filter(({ path }) => !path.startsWith('tests/docs/words'));

test('no file says a word that was dropped', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap(droppedWordsIn)).toEqual([]);
});

test.each([
  ['src/planted.ts', 'update delivery_places set', 'delivery_places'],
  ['src/text-faults.ts', '', 'text-faults'],
  ['src/planted.ts', 'const sealed = box;', 'sealed'],
  ['tests/planted.ts', "test('a body is judged', () => {", 'judged'],
  ['src/planted.ts', 'export function lookAt(seen: Seen): void {', 'lookAt'],
  ['docs/planted.md', 'In earnest use a server.', 'In earnest'],
  ['src/planted.ts', '/** The how-manieth of its group. */', 'how-manieth'],
])('%s: %s is found', (path, text, word) => {
  expect(droppedWordsIn({ path, text }).join('\n')).toContain(`: ${word} (say: `);
});

test.each([
  ['src/planted.ts', '/** Longitude across the antimeridian; the country in a bounding box. */'],
  ['tests/planted.ts', "await page.locator('#client_id').click();"],
  ['src/planted.ts', 'class LiveSocket {}'],
])('%s: %s is in order', (path, text) => {
  expect(droppedWordsIn({ path, text })).toEqual([]);
});
