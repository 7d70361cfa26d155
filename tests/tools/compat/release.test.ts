import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderChangelog } from '../../../tools/compat/changelog.ts';
import { compareContracts } from '../../../tools/compat/compare-contracts.ts';
import type { Contract } from '../../../tools/compat/contract.ts';
import { makeRelease } from '../../../tools/compat/release.ts';
import { listChangedMigrations, readReleased } from '../../../tools/compat/releases.ts';
import { listObjections, parseVersion } from '../../../tools/compat/versions.ts';

const DAY = new Date('2026-11-23T10:00:00Z');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'release-'));
  mkdirSync(join(root, 'generated'));
  mkdirSync(join(root, 'migrations'));
  write('migrations/0001-first.sql', 'create table a ();\n');
  write('migrations/schema.sql', 'table a\n');
  git('init', '--quiet');
  git('config', 'user.email', 'somebody@example.com');
  git('config', 'user.name', 'Somebody');
  commitDocument(documentOf('2.0'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const write = (file: string, text: string): void => writeFileSync(join(root, file), text);

function commitDocument(document: Contract): void {
  write('generated/openapi.json', JSON.stringify(document));
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'A commit');
}

/** An API with these operations at `/a`. */
function documentOf(version: string, operations: object = { get: { responses: {} } }): Contract {
  return { openapi: '3.1.0', info: { title: 'A', version }, paths: { '/a': operations } };
}

const WITH_PUT = { get: { responses: {} }, put: { 'x-since': '2.1', responses: {} } };

describe('a release', () => {
  test('keeps document, schema, commit, day and migrations', () => {
    const release = makeRelease(root, '2.0', DAY);
    const [{ migrations, ...rest }] = readReleased(root)?.history ?? [release];
    expect(rest).toEqual({
      version: '2.0',
      released_on: '2026-11-23',
      commit: git('rev-parse', 'HEAD'),
      operations: 1,
      messages: 0,
      changes: [],
    });
    expect(Object.keys(migrations)).toEqual(['migrations/0001-first.sql']);
    expect(readReleased(root)?.contract).toEqual(documentOf('2.0'));
    expect(readFileSync(join(root, 'released/schema.sql'), 'utf8')).toBe('table a\n');
  });

  test('tells its changes, and the changelog those of all versions', () => {
    makeRelease(root, '2.0', DAY);
    commitDocument(documentOf('2.1', WITH_PUT));
    makeRelease(root, '2.1', DAY);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Release');
    const present = documentOf('2.1', { ...WITH_PUT, patch: { 'x-since': '2.2', responses: {} } });
    const page = renderChangelog(readReleased(root), present);
    expect(page.split('\n').filter((line) => /^[#-]/.test(line))).toEqual([
      '# API changelog',
      '## After 2.1 (not released)',
      '### Compatible',
      '- Operation: `PATCH /a: added`. `PATCH /a` (`/paths/~1a/patch`)',
      '## 2.1 (2026-11-23)',
      '### Compatible',
      '- Operation: `PUT /a: added`. `PUT /a` (`/paths/~1a/put`)',
      '## 2.0 (2026-11-23)',
    ]);
  });

  test.each([
    ['of another version than the document', '2.1', () => undefined, 'The document has the version 2.0'],
    ['of a tree with changes', '2.0', () => write('new.txt', ''), 'The tree has changes'],
  ])('is refused: %s', (_name, version, change, message) => {
    change();
    expect(() => makeRelease(root, version, DAY)).toThrow(message);
    expect(readReleased(root)).toBeUndefined();
  });

  test.each([
    ['the same version', documentOf('2.0'), '2.0 does not come after 2.0.'],
    ['a breaking minor version', documentOf('2.1', {}), '1 breaking changes need a new major version'],
    [
      'an addition that is not marked',
      documentOf('2.1', { get: { responses: {} }, put: { responses: {} } }),
      '1 additions do not say since when they are there: give each an `x-since` beyond 2.0.',
    ],
  ])('is refused after another one: %s', (_name, document, message) => {
    makeRelease(root, '2.0', DAY);
    commitDocument(document);
    const version = (document['info'] as { version: string }).version;
    expect(() => makeRelease(root, version, DAY)).toThrow(message);
  });

  test('of a new major version may break', () => {
    makeRelease(root, '2.0', DAY);
    commitDocument(documentOf('3.0', {}));
    expect(makeRelease(root, '3.0', DAY).changes).toMatchObject([{ verdict: 'breaking', rule: 'operation' }]);
  });

  test('of the first version says where the servers are and how to authenticate', () => {
    const components = { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } };
    commitDocument({ ...documentOf('2.0'), servers: [{ url: 'https://a.example' }], components });
    expect(makeRelease(root, '2.0', DAY).changes).toEqual([]);
  });

  test('keeps to the notice from the first one on', () => {
    commitDocument(
      documentOf('2.0', {
        get: { deprecated: true, 'x-deprecated-at': '2026-11-22', 'x-sunset': '2028-01-01', responses: {} },
      }),
    );
    expect(() => makeRelease(root, '2.0', DAY)).toThrow('1 changes break what a major version keeps, too');
  });

  test('holds migrations: a changed or removed one is named', () => {
    const release = makeRelease(root, '2.0', DAY);
    write('migrations/0002-next.sql', 'create table b ();\n');
    expect(listChangedMigrations(root, release)).toEqual([]);
    write('migrations/0001-first.sql', 'create table c ();\n');
    expect(listChangedMigrations(root, release)).toEqual(['migrations/0001-first.sql']);
  });
});

test('what changes in an operation that was beta stops nobody', () => {
  const beta = documentOf('2.0', { get: { 'x-beta': true, responses: {} } });
  const found = compareContracts(beta, documentOf('2.0', {}), DAY);
  expect(found.map(({ rule, verdict }) => [rule, verdict])).toEqual([['operation', 'beta']]);
  expect(listObjections(found, parseVersion('2.0'), parseVersion('2.1'))).toEqual([]);
});

test('an addition says since when it is there, unless the old document has it elsewhere', () => {
  const page = { name: 'page', in: 'query', schema: { type: 'integer' } };
  const components = { components: { parameters: { Page: page } } };
  const reference = { parameters: [{ $ref: '#/components/parameters/Page' }], responses: {} };
  const old = { ...documentOf('2.0', { get: reference, put: { responses: {} } }), ...components };
  const verdictsOf = (next: Contract): string[] =>
    compareContracts(old, next, DAY).map(({ verdict }) => verdict);
  expect(verdictsOf({ ...documentOf('2.0', { get: reference, put: reference }), ...components })).toEqual([
    'additive',
  ]);
  const own = (since: object): Contract => ({
    ...documentOf('2.0', { get: reference, put: { responses: {}, parameters: [{ ...page, ...since }] } }),
    ...components,
  });
  expect(verdictsOf(own({}))).toEqual(['unmarked', 'additive']);
  expect(verdictsOf(own({ 'x-since': '2.0' }))).toEqual(['unmarked', 'additive']);
  expect(verdictsOf(own({ 'x-since': '2.1' }))).toEqual(['additive']);
});

test('a version is a major and a minor number, and does not go back', () => {
  expect(parseVersion('10.2')).toEqual({ major: 10, minor: 2 });
  expect(() => parseVersion('2')).toThrow('2 is no version');
  expect(listObjections([], parseVersion('2.1'), parseVersion('2.0'))).toEqual([
    'The version is lower than the released one.',
  ]);
});
