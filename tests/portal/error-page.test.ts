// What a page says of an error: whether anything was changed is said only where it is known.
import express from 'express';
import request from 'supertest';
import { expect, test } from 'vitest';
import { OverlongComputation } from '../../src/domain/api/overlong-computation.ts';
import { Problem } from '../../src/domain/api/problem.ts';
import { createErrorPageHandler } from '../../src/portal/error-page.ts';

const LOST = new Error('Connection terminated unexpectedly');
const UNCHANGED = 'Nothing was changed. Try again in a moment.';
const UNKNOWN = 'What you sent may or may not have been done: look before you send it again.';

test.each([
  ['post', LOST, 503, UNKNOWN, 1],
  ['get', LOST, 503, 'Try again in a moment.', 1],
  ['post', new Error('Nobody knows.'), 500, UNKNOWN, 1],
  ['post', new Problem('overloaded', 'Too many.'), 503, UNCHANGED, 0],
  ['get', new Problem('overloaded', 'Too many.'), 503, 'Try again in a moment.', 0],
  ['post', new OverlongComputation(1_000, undefined), 503, UNCHANGED, 1],
] as const)('%s: %s', async (method, error, status, says, lines) => {
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const app = express().all('/', () => {
    throw error;
  });
  app.use(
    createErrorPageHandler({
      log: { info: note, warn: note, error: note },
      isUnavailable: (cause) => cause === LOST,
    }),
  );
  const page = await request(app)[method]('/');
  expect([page.status, logged.length]).toEqual([status, lines]);
  expect(page.text).toContain(says);
  expect(page.text.includes('Nothing was changed')).toBe(says === UNCHANGED);
});
