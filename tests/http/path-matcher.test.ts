import type { IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { Router } from 'express';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { PathMatcher } from '../../src/http/path-matcher.ts';

function matcherOf(paths: readonly string[]): PathMatcher<string> {
  const matcher = new PathMatcher<string>();
  for (const path of paths) matcher.add(path, path);
  return matcher;
}

describe('a path', () => {
  const matcher = matcherOf(['/users', '/users/{id}', '/users/by-name/{name}', '/users/{id}/{what}/all']);

  test.each([
    ['/users', '/users', {}],
    ['/users/', '/users', {}],
    ['/users/a', '/users/{id}', { id: 'a' }],
    ['/users/by-name', '/users/{id}', { id: 'by-name' }],
    ['/users/by-name/b', '/users/by-name/{name}', { name: 'b' }],
    ['/users/by-name/b/all', '/users/{id}/{what}/all', { id: 'by-name', what: 'b' }],
    ['/users/%2F%C3%A4/', '/users/{id}', { id: '/ä' }],
  ])('%s is %s', (path, target, parameters) => {
    expect(matcher.find(path)).toEqual({ target, parameters });
  });

  test.each([
    '/',
    '',
    '/user',
    '/Users',
    '/users//',
    '//users',
    '/users/a/b',
    '/users/by-name/b//',
    '/%75sers',
  ])('%s is none', (path) => {
    expect(matcher.find(path)).toBeUndefined();
  });

  test('with a parameter that is no UTF-8 is an error, unless another path fits', () => {
    expect(() => matcher.find('/users/%ff')).toThrow(URIError);
    expect(() => matcher.find('/users/by-name/%')).toThrow(URIError);
    expect(matcher.find('/users/%ff/b')).toBeUndefined();
  });
});

/** What a router of Express finds whose routes stand in the order of their paths, fixed segments first. */
function createOracle(paths: readonly string[]): (path: string) => unknown {
  const rank = (path: string): string => path.replaceAll(/\{\w+\}/g, '~');
  const router = Router({ caseSensitive: true });
  for (const path of paths.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))) {
    router.all(path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1'), ({ params }, response) => {
      response.locals['found'] = { target: path, parameters: { ...params } };
    });
  }
  return (path) => {
    const response = { locals: {} as { found?: unknown } };
    let failure: unknown;
    const request = { method: 'GET', url: path };
    router(request as IncomingMessage as never, response as unknown as ServerResponse as never, (error) => {
      failure = error;
    });
    return response.locals.found ?? (failure instanceof URIError ? 'URIError' : undefined);
  };
}

test('the paths of the document are found as Express finds them', () => {
  const paths = [...new Set(ROUTES.map(({ path }) => path))];
  const matcher = matcherOf(paths);
  const find = (path: string): unknown => {
    try {
      return matcher.find(path);
    } catch (error) {
      return error instanceof URIError ? 'URIError' : error;
    }
  };
  const oracle = createOracle(paths);
  const strange = fc.constantFrom(
    '',
    '.',
    '%',
    '%41',
    '%ff',
    '%2f',
    'ä',
    'USERS',
    '0',
    '~',
    ':org_id',
    '{org_id}',
  );
  const segments = [...new Set(paths.flatMap((path) => path.split('/')))];
  const replaced = fc
    .tuple(
      fc.constantFrom(...paths),
      fc.array(fc.tuple(fc.nat(12), fc.oneof(strange, fc.constantFrom(...segments)))),
    )
    .map(([path, changes]) => {
      const parts = path.split('/').slice(1);
      for (const [index, part] of changes.slice(0, 2)) parts[index % parts.length] = part;
      return `/${parts.join('/')}`;
    });
  const ended = fc.tuple(replaced, fc.constantFrom('', '', '/', '//', '/x')).map(([path, end]) => path + end);
  fc.assert(
    fc.property(ended, (path) => {
      expect(find(path)).toEqual(oracle(path));
    }),
    { numRuns: 2_000 },
  );
});
