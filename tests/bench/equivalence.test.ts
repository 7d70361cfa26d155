// `make compare`: the same version answers the same, and whatever another one answers otherwise is found.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compareVersions } from '../../bench/equivalence/compare.ts';
import type { Comparison } from '../../bench/equivalence/compare.ts';
import { OPERATIONS } from '../../bench/equivalence/document.ts';
import { readArguments, USAGE } from '../../bench/equivalence/options.ts';
import { Renaming } from '../../bench/equivalence/renaming.ts';
import { formatComparison } from '../../bench/equivalence/report.ts';
import { createEquivalenceWorld } from '../../bench/equivalence/world.ts';
import type { EquivalenceWorld } from '../../bench/equivalence/world.ts';
import { ROOT } from '../../bench/version.ts';
import { testServer } from '../support/database.ts';

const SEED = 7;

describe('two versions', () => {
  let world: EquivalenceWorld<readonly [string, string]>;
  beforeAll(async () => {
    world = await createEquivalenceWorld([ROOT, ROOT], testServer().connection);
  });
  afterAll(() => world.remove());

  test('that are the same differ in nothing, whatever they are asked', async () => {
    const { differences, counts } = await compareVersions({ ...world, seed: SEED, requests: 250 });
    expect(formatComparison({ differences, counts: new Map() }, 5)).toBe('Requests by operation and status:');
    expect(counts.size).toBeGreaterThan(0.9 * OPERATIONS.length);
    const statuses = new Set([...counts.values()].flatMap((each) => [...each.keys()]));
    for (const status of [200, 201, 204, 400, 401, 403, 404, 409, 422]) expect(statuses).toContain(status);
  });

  const planted: readonly (readonly [what: string, kind: RegExp, patch: Patch])[] = [
    [
      'another name of a town',
      /^listUsers, body \[\]\.town$/,
      { body: (text) => text.replaceAll('"Linz"', '"linz"') },
    ],
    ['a blank more', /, body \(bytes\)$/, { body: (text) => text.replace('{"id":', '{"id": ') }],
    ['the id of another user', /^listUsers, body \[\]\.id$/, { body: swapIds }],
    ['a header less', /, header x-content-type-options$/, { header: 'x-content-type-options' }],
    [
      'another status',
      /^listFleets, status 200 to 203$/,
      { status: (target) => (target.endsWith('/fleets') ? 203 : undefined) },
    ],
  ];

  test.each(planted)('of which one has %s are told apart', async (_what, kind, patch) => {
    const [one, other] = world.baseUrls;
    const between = await startPatchingProxy(other, patch);
    try {
      const { differences } = await compareVersions({
        ...world,
        baseUrls: [one, between.url],
        seed: SEED,
        requests: 0,
      });
      const kinds = differences.map((each) => `${each.request.operationId}, ${each.kind}`);
      expect(kinds).toContainEqual(expect.stringMatching(kind));
      const text = formatComparison({ differences, counts: new Map() } satisfies Comparison, 1);
      expect(text).toContain('  request ');
    } finally {
      await between.close();
    }
  });
});

interface Patch {
  readonly body?: (text: string) => string;
  /** A header that is left out. */
  readonly header?: string;
  readonly status?: (target: string) => number | undefined;
}

/** Of a list of users the first two change ids: each id is known, but the answers do not fit together. */
function swapIds(text: string): string {
  if (!text.startsWith('[{"id":')) return text;
  const [first = '', second = ''] = [...text.matchAll(/\{"id":"([^"]+)"/g)].map(([, id]) => id);
  return second === '' ? text : text.replace(first, 'FIRST').replace(second, first).replace('FIRST', second);
}

/** Passes requests on, and changes what is answered. */
async function startPatchingProxy(
  baseUrl: string,
  patch: Patch,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { port } = new URL(baseUrl);
  const server: Server = createServer((incoming, outgoing) => {
    const { method, url: path = '', headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString().replaceAll(baseUrl, url);
        const own = answer.rawHeaders.map((value) => value.replaceAll(baseUrl, url));
        const pairs = Array.from(
          { length: own.length / 2 },
          (_, at) => own.slice(2 * at, 2 * at + 2) as [string, string],
        );
        const kept = pairs.filter(([name]) => name.toLowerCase() !== patch.header);
        outgoing.writeHead(patch.status?.(path) ?? answer.statusCode ?? 0, kept.flat());
        outgoing.end(patch.body?.(text) ?? text);
      });
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

describe('a renaming', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(
    (digit) => `${digit.repeat(8)}-0000-4000-8000-${digit.repeat(12)}`,
  ) as [string, string, string];
  const token = (letter: string): string => `pat_${letter.repeat(43)}`;

  test('is one and the same in all texts, both ways', () => {
    const renaming = new Renaming();
    expect(renaming.isSame(`{"id":"${a}"}`, `{"id":"${b}"}`)).toBe(true);
    expect(renaming.isSame(`["${a}"]`, `["${b}"]`)).toBe(true);
    expect(renaming.isSame(`["${a}"]`, `["${c}"]`)).toBe(false);
    expect(renaming.isSame(`["${c}"]`, `["${b}"]`)).toBe(false);
    expect(renaming.translate(`/users/${a}?x=${c}`)).toBe(`/users/${b}?x=${c}`);
    expect(renaming.translate(a.toUpperCase())).toBe(b.toUpperCase());
  });

  test('learns nothing from texts that differ in more than names', () => {
    const renaming = new Renaming();
    expect(renaming.isSame(`{"id":"${a}"}`, `{"id": "${b}"}`)).toBe(false);
    expect(renaming.isSame(`{"id":"${a}"}`, `{"id":"${c}"}`)).toBe(true);
  });

  test('reads cursors, and takes tokens as names', () => {
    const renaming = new Renaming();
    const cursor = (ms: number, id: string): string => Buffer.from(`${ms}~${id}`).toString('base64url');
    expect(renaming.isSame(a, b)).toBe(true);
    expect(renaming.isSame(cursor(1_795_000_000_000, a), cursor(1_795_000_000_000, b))).toBe(true);
    expect(renaming.isSame(cursor(1_795_000_000_000, a), cursor(1_795_000_000_001, b))).toBe(false);
    expect(renaming.translate(cursor(1_795_000_000_000, a))).toBe(cursor(1_795_000_000_000, b));
    expect(renaming.isSame(token('x'), token('y'))).toBe(true);
    expect(renaming.isSame(token('z'), token('y'))).toBe(false);
  });
});

describe('arguments of make compare', () => {
  test('a commit, how many, from which seed, how much is shown', () => {
    const args = ['main', '--requests', '50', '--seed', '9', '--show', '2'];
    expect(readArguments(args)).toEqual({ commit: 'main', requests: 50, seed: 9, shown: 2 });
    expect(readArguments(['main'])).toMatchObject({ requests: 10_000 });
    expect(readArguments(['--help'])).toBe('help');
  });

  test.each([
    [[], 'Name one commit to compare with.'],
    [['a', 'b'], 'Name one commit to compare with.'],
    [['a', '--seed', 'x'], '--seed takes a whole number: x.'],
    [['a', '--faster'], "Unknown option '--faster'"],
  ])('%j is refused', (args, message) => {
    expect(() => readArguments(args)).toThrow(message);
  });

  test('the help names every option', () => {
    for (const option of ['--requests', '--seed', '--show', '--help', 'COMMIT='])
      expect(USAGE).toContain(option);
  });
});
