import pg from 'pg';
import { expect, test } from 'vitest';
import { DatabaseTimeoutError, PassEnd } from '../../../src/queries/connection/database-errors.ts';

function stateError(code: string, message = 'refused'): Error {
  return Object.assign(new pg.DatabaseError(message, 1, 'error'), { code });
}

const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
const late = new DatabaseTimeoutError('late');

test.each([
  ['a refused connection', refused],
  ['a connection that ended', new Error('Connection terminated unexpectedly')],
  ['a server that stops', stateError('57P01')],
  ['a server that starts', stateError('57P03')],
  ['a lack of memory', stateError('53200')],
])('%s ends a pass at once', (_name, error) => {
  expect(new PassEnd().isReachedBy(error)).toBe(true);
  const end = new PassEnd();
  end.isReachedBy(late);
  expect(end.isReachedBy(error)).toBe(true);
});

test.each([
  ['a statement that the server ended', stateError('57014')],
  ['a node that ended it', stateError('XX000', 'canceling statement due to statement timeout')],
  ['no answer in time', late],
])('%s ends a pass when it comes twice in a row', (_name, error) => {
  const end = new PassEnd();
  expect(end.isReachedBy(error)).toBe(false);
  end.succeed();
  expect(end.isReachedBy(error)).toBe(false);
  // The server has answered.
  expect(end.isReachedBy(stateError('55P03'))).toBe(false);
  expect(end.isReachedBy(error)).toBe(false);
  expect(end.isReachedBy(late)).toBe(true);
  expect(end.isReachedBy(late)).toBe(true);
});

test.each([
  ['a lock', stateError('55P03')],
  ['a deadlock', stateError('40P01')],
  ['a value', stateError('22003')],
  ['a mistake of ours', stateError('42601')],
  ['an error of the program', new Error('What?')],
])('%s ends none', (_name, error) => {
  const end = new PassEnd();
  expect([end.isReachedBy(error), end.isReachedBy(error)]).toEqual([false, false]);
});
