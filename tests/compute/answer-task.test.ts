import { expect, test } from 'vitest';
import { answerTask } from '../../src/compute/answer-task.ts';
import { Problem } from '../../src/domain/api/problem.ts';

/** The pieces of a text, one of each letter. */
const piecesOf = (text: string): readonly Uint8Array<ArrayBuffer>[] =>
  Array.from(text, (letter) => Uint8Array.from(Buffer.from(letter)));

test.each([
  ['is answered', '{"data":[]}'],
  ['is refused', '{"data":'],
])('the bytes of a task that %s are gone', async (_, text) => {
  const pieces = [Uint8Array.from(Buffer.from(text))];
  await answerTask({ name: 'readPriceUpload', input: { pieces, errors: [] } });
  expect(pieces.filter(({ length }) => length > 0)).toEqual([]);
});

test('the bytes of a task that comes to grief are gone', async () => {
  const pieces = piecesOf('{}');
  const input = { pieces, errors: [], now: new Date(NaN) };
  const name = 'noSuchJob' as 'answerPreview';
  const failing = answerTask({ name, input });
  await expect(failing).rejects.toThrow(TypeError);
  await expect(failing).rejects.not.toThrow(Problem);
  expect(pieces.filter(({ length }) => length > 0)).toEqual([]);
});
