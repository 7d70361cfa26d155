import { describe, expect, test } from 'vitest';
import { parseExampleSource } from '../../../tools/generate/example-sources.ts';

describe('where an example comes from', () => {
  test.each([
    ['uuid()', { kind: 'uuid' }],
    [
      'createUser.response.body#/id',
      { kind: 'body', request: 'createUser', operationId: 'createUser', pointer: '/id', query: undefined },
    ],
    [
      'createUser.minimal.response.body#/id',
      {
        kind: 'body',
        request: 'createUser.minimal',
        operationId: 'createUser',
        pointer: '/id',
        query: undefined,
      },
    ],
    [
      'listActions.response.body#/items/0/resolution/url?secret',
      {
        kind: 'body',
        request: 'listActions',
        operationId: 'listActions',
        pointer: '/items/0/resolution/url',
        query: 'secret',
      },
    ],
    [
      'getUser.response.header.ETag',
      { kind: 'header', request: 'getUser', operationId: 'getUser', header: 'ETag' },
    ],
  ])('%s', (text, expected) => expect(parseExampleSource(text)).toEqual(expected));

  test.each([
    '',
    'uuid',
    'createUser#/id',
    'createUser.response.body',
    'createUser.response.body#id',
    'a b.response.body#/id',
  ])('"%s" is refused', (text) =>
    expect(() => parseExampleSource(text)).toThrow('does not say where an example comes from'),
  );
});
