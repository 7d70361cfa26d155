import type { Request } from 'express';
import { expect, test } from 'vitest';
import { checkContentType } from '../../src/http/body.ts';

const requestOf = (type: string): Request =>
  ({ get: (name: string) => (name === 'content-type' ? type : undefined) }) as Request;

test.each([
  'application/json',
  'application/json; charset=UTF-8',
  'application/json;charset="utf-8"',
  'Application/JSON; a=b',
])('takes %s', (type) => {
  expect(() => checkContentType(requestOf(type), ['application/json'])).not.toThrow();
});

test.each(['application/json; charset=latin1', 'application/json; charset="latin1', 'text/json', ''])(
  'refuses %s, which is not JSON in UTF-8',
  (type) => {
    expect(() => checkContentType(requestOf(type), ['application/json'])).toThrow(
      'Send the body as application/json',
    );
  },
);
