import { expect, test } from 'vitest';
import { tellLoopError } from '../../src/compose/loop-errors.ts';
import { OverlongComputation } from '../../src/domain/api/overlong-computation.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { RecordingLog } from '../support/secret-leaks.ts';

test.each([
  ['no room', new Problem('overloaded', 'All heavy work is taken.'), 'info'],
  ['a computation that took too long', new OverlongComputation(30_000, undefined), 'error'],
  ['any other error', new Error('The disk is full.'), 'error'],
])('%s is told as it needs somebody or not', (_what, error, level) => {
  const log = new RecordingLog();
  tellLoopError(log, 'fleets')(error);
  expect(JSON.parse(log.text)).toMatchObject({ level, loop: 'fleets' });
});
