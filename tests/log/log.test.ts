import { Writable } from 'node:stream';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log/log.ts';

/** The fields of the one line that is logged of an error. */
function logOf(error: Error): Readonly<Record<string, unknown>> {
  let lines = '';
  const stream = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines += line;
      done();
    },
  });
  createLog('error', stream).error('Failed.', { error });
  return (JSON.parse(lines) as { error: Readonly<Record<string, unknown>> }).error;
}

test.each([
  [Object.assign(new pg.DatabaseError('The disk is full.', 0, 'error'), { code: '53100' }), '53100'],
  [Object.assign(new Error('Nobody listens.'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
])('an error is logged with its code: %s', (error, code) => {
  expect(logOf(error)).toMatchObject({ code, message: error.message, stack: error.stack });
});

test('an error without a code is logged without one', () => {
  expect(logOf(new Error('Nobody knows.'))).not.toHaveProperty('code');
});
