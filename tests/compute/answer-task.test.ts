import { expect, test } from 'vitest';
import { answerTask } from '../../src/compute/answer-task.ts';
import { Problem } from '../../src/domain/api/problem.ts';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

test.each([
  ['is answered', '{"data":[]}'],
  ['is refused', '{"data":'],
])('the bytes of a task that %s are gone', async (_, text) => {
  const bytes = bytesOf(text);
  await answerTask({ name: 'readPriceUpload', input: { bytes, errors: [] } });
  expect(bytes.length).toBe(0);
});

test('the bytes of a task that comes to grief are gone', async () => {
  const bytes = bytesOf('{');
  const input = { bytes, errors: [], now: new Date(NaN) };
  const name = 'noSuchJob' as 'answerPreview';
  const failing = answerTask({ name, input });
  await expect(failing).rejects.toThrow(TypeError);
  await expect(failing).rejects.not.toThrow(Problem);
  expect(bytes.length).toBe(0);
});
