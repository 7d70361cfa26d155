// What a new major version may break, and what not.
import { expect, test } from 'vitest';
import { compareContracts } from '../../../tools/compat/compare-contracts.ts';
import type { Contract } from '../../../tools/compat/contract.ts';
import { listObjections, parseVersion } from '../../../tools/compat/versions.ts';

const TODAY = new Date('2026-11-23T10:00:00Z');

const OPERATION = { responses: { '200': {} } };
const DEPRECATED = { ...OPERATION, deprecated: true, 'x-deprecated-at': '2026-01-01' };
const RELEASED = {
  '/v2.0/users': { get: OPERATION },
  '/token': { post: OPERATION, put: { ...DEPRECATED, 'x-sunset': '2027-06-01' } },
};

function documentOf(version: string, paths: object): Contract {
  return { info: { version }, paths };
}

function objectionsTo(version: string, paths: object): readonly string[] {
  const findings = compareContracts(documentOf('2.0', RELEASED), documentOf(version, paths), TODAY);
  return listObjections(findings, parseVersion('2.0'), parseVersion(version));
}

test('a new major version may have paths of its own beside the former ones', () => {
  expect(objectionsTo('3.0', { ...RELEASED, '/v3.0/users': { put: OPERATION } })).toEqual([]);
});

const FORMER =
  '1 breaking changes concern paths of a former major version, which stay: give what changes paths of its own, /v3.0/.';

test.each([
  ['takes them away', { '/token': RELEASED['/token'], '/v3.0/users': { get: OPERATION } }],
  ['changes them', { ...RELEASED, '/v2.0/users': { get: { responses: { '200': {}, '201': {} } } } }],
])('one that %s is refused', (_name, paths) => {
  expect(objectionsTo('3.0', paths)).toEqual([FORMER]);
});

test('one that takes away a server is refused: the former paths are there, too', () => {
  const [old, next] = [
    { ...documentOf('2.0', RELEASED), servers: [{ url: 'https://a.example' }] },
    documentOf('3.0', RELEASED),
  ];
  const findings = compareContracts(old, next, TODAY);
  expect(listObjections(findings, parseVersion('2.0'), parseVersion('3.0'))).toEqual([FORMER]);
});

test('it may break what has no version in its path, but for the notice of what is deprecated', () => {
  const { put } = RELEASED['/token'];
  expect(objectionsTo('3.0', { ...RELEASED, '/token': { put } })).toEqual([]);
  const token = { post: OPERATION, put: { ...DEPRECATED, 'x-sunset': '2027-05-31' } };
  expect(objectionsTo('3.0', { ...RELEASED, '/token': token })).toEqual([
    '1 changes break what a major version keeps, too (docs/reference/lifecycle.md).',
  ]);
});
