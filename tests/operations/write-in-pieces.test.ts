import { expect, test } from 'vitest';
import { writeInPieces } from '../../src/operations/write-in-pieces.ts';

test('pieces are written in their order, with a pause behind each that wrote something, but not behind the last', async () => {
  const done: string[] = [];
  await writeInPieces(
    ['a', 'nothing', 'b', 'c'],
    (piece) => {
      done.push(piece);
      return Promise.resolve(piece !== 'nothing');
    },
    () => Promise.resolve(done.push('pause')),
  );
  expect(done).toEqual(['a', 'pause', 'nothing', 'b', 'pause', 'c']);
});

test('a pause is long enough for others to commit', async () => {
  const startedMs = performance.now();
  await writeInPieces([1, 2, 3], () => Promise.resolve(true));
  expect(performance.now() - startedMs).toBeGreaterThan(18);
});

test('what fails is not gone on with', async () => {
  const failing = writeInPieces([1, 2], () => Promise.reject(new Error('full')));
  await expect(failing).rejects.toThrow('full');
});
