import { randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { CodingShare } from '../../src/http/coding-shares.ts';
import { PartCoder } from '../../src/http/content-coding.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

const USERS = 200;
let api: Api;
let base: string;
beforeAll(async () => {
  api = await startApi();
  base = `/api/partners/v2.0/org/${api.own.orgId}`;
  const { orgId: org_id } = api.own;
  const at = { created_at: api.clock.now(), updated_at: api.clock.now() };
  const rows = Array.from({ length: USERS }, (_, index) => ({
    org_id,
    id: randomUUID(),
    email: `user-${index}@example.com`,
    role: 'user' as const,
    first_name: 'Ä'.repeat(100),
    ...at,
  }));
  await api.db.insertInto('users').values(rows).execute();
});
afterAll(() => api.close());

interface Raw {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** An answer as it came over the wire. */
function get(path: string, headers: http.OutgoingHttpHeaders = {}, method = 'GET'): Promise<Raw> {
  const authorization = `Bearer ${api.own.admin.token}`;
  return new Promise((resolve, reject) => {
    const request = http.request(`${api.baseUrl}${path}`, { method, headers: { authorization, ...headers } });
    request.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) });
      });
    });
    request.end();
  });
}

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe.each(['br', 'gzip'] as const)('an answer as %s', (coding) => {
  const accept = { 'accept-encoding': coding };

  test.each([
    ['of one page', () => `${base}/users?limit=100`],
    ['that is streamed', () => `${base}/users`],
    ['of the document', () => '/api/partners/v2.0/openapi.json'],
  ])('%s is smaller, and the same when it is decoded', async (_name, path) => {
    const plain = await get(path());
    const coded = await get(path(), accept);
    expect([plain.headers['content-encoding'], coded.headers['content-encoding']]).toEqual([
      undefined,
      coding,
    ]);
    expect([plain.headers.vary, coded.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
    expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(DECODERS[coding](coded.bytes).equals(plain.bytes)).toBe(true);
    expect(coded.headers['content-type']).toBe(plain.headers['content-type']);
  });

  test('has a tag of its own, by which it is known and changed', async () => {
    const path = `${base}/device-simulator/fleets/config`;
    const plain = await get(path);
    const coded = await get(path, accept);
    const tag = coded.headers.etag ?? '';
    expect(tag).toBe(`${plain.headers.etag?.slice(0, -1) ?? ''}-${coding}"`);
    for (const known of [tag, plain.headers.etag ?? '']) {
      const again = await get(path, { ...accept, 'if-none-match': known });
      expect([again.status, again.headers.etag, again.bytes.length]).toEqual([304, known, 0]);
    }
  });

  test('is not made of what is shorter than 1 KiB, of problems, and for HEAD', async () => {
    const short = await get(`${base}/users/${api.own.user.id}`, accept);
    expect([short.headers['content-encoding'], short.bytes.length < 1_024]).toEqual([undefined, true]);
    const problem = await get(`${base}/users?limit=x&${'a=1&'.repeat(60)}`, accept);
    expect([problem.status, problem.headers['content-encoding']]).toEqual([422, undefined]);
    const head = await get(`${base}/users?limit=100`, accept, 'HEAD');
    expect([head.status, head.headers['content-encoding']]).toEqual([200, undefined]);
  });

  test('is made from 1 KiB on, however few characters that are', async () => {
    const path = { user_id: api.own.user.id };
    const change = (last_name: string | null) => api.call('updateUser', { path, body: { last_name } });
    await change('Ä'.repeat(255));
    const { headers, bytes } = await get(`${base}/users/${path.user_id}`, accept);
    await change(null);
    expect(headers['content-encoding']).toBe(coding);
    const text = DECODERS[coding](bytes);
    expect([text.length >= 1_024, text.toString().length < 1_024]).toEqual([true, true]);
  });

  test('has a length that HEAD tells right or leaves out', async () => {
    const once = `${base}/device-simulator/fleets/config`;
    for (const path of [
      once,
      '/api/partners/v2.0/openapi.json',
      '/docs',
      `${base}/users/${api.own.user.id}`,
    ]) {
      const { headers, bytes } = await get(path, accept);
      const head = await get(path, accept, 'HEAD');
      expect([path, head.status, head.bytes.length]).toEqual([path, 200, 0]);
      const length = path === once ? undefined : String(bytes.length);
      expect([path, head.headers['content-length']]).toEqual([path, length]);
      if (path !== once) expect(head.headers.etag).toBe(headers.etag);
    }
  });
});

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['*', 'br'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['br;q=0.1, gzip', 'gzip'],
  ['gzip;q=0.1, br', 'br'],
  ['br;q=0.1, identity', undefined],
  ['identity', undefined],
  ['br;q=0, *;q=0', undefined],
  ['zstd', undefined],
  ['', undefined],
  [`gzip, ${'x, '.repeat(200)}`, undefined],
])('with Accept-Encoding %j the coding is %j', async (header, coding) => {
  const { headers } = await get(`${base}/users?limit=10`, { 'accept-encoding': header });
  expect(headers['content-encoding']).toBe(coding);
});

test('answers with a secret or a signed link are never coded', async () => {
  for (let count = 0; count < 12; count += 1)
    await api.call('broadcastInformation', { body: { message: `A long message ${'again '.repeat(50)}` } });
  const list = await get(`${base}/notifications/information`, { 'accept-encoding': 'br, gzip' });
  expect([list.headers['content-encoding'], list.headers.vary, list.bytes.length > 1_024]).toEqual([
    undefined,
    undefined,
    true,
  ]);
  const secret = ROUTES.filter(({ notStored }) => notStored).map(({ operationId }) => operationId);
  expect(secret).toEqual(
    expect.arrayContaining([
      'issueToken',
      'issueTokenAtRoot',
      'createWebhook',
      'rotateWebhookSecret',
      'listActions',
      'listInformation',
      'broadcastInformation',
      'resolveNotificationItem',
      'streamEvents',
    ]),
  );
});

describe('the room for coding', () => {
  test('is bounded for all and for each partner, and comes back once', () => {
    const share = new CodingShare({ capacity: 3, ofPartner: 2 });
    const [first, second] = [share.tryTake('a'), share.tryTake('a')];
    expect([first, second, share.tryTake('a')]).toEqual([
      expect.any(Function),
      expect.any(Function),
      undefined,
    ]);
    const other = share.tryTake('b');
    expect([other, share.tryTake('b'), share.tryTake('c')]).toEqual([
      expect.any(Function),
      undefined,
      undefined,
    ]);
    first?.();
    first?.();
    expect([share.tryTake('c'), share.tryTake('d')]).toEqual([expect.any(Function), undefined]);
  });

  test('is given back by every answer: after many more than there are places the next is coded', async () => {
    const ask = (path: string) => get(path, { 'accept-encoding': 'br' });
    const many = Array.from({ length: 40 }, (_, index) =>
      ask(`${base}/users${index % 2 === 0 ? '?limit=50' : ''}`),
    );
    const answers = await Promise.all(many);
    for (const { headers, bytes } of answers) {
      const body = headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes;
      expect(JSON.parse(body.toString('utf8'))).toEqual(expect.any(Array));
    }
    for (const path of [`${base}/users?limit=50`, `${base}/users`])
      expect((await ask(path)).headers['content-encoding']).toBe('br');
  });
});

test.each(['br', 'gzip'] as const)(
  'with %s each part can be read before the next one is made',
  async (coding) => {
    const coder = new PartCoder(coding);
    const parts: Buffer[] = [];
    for (const text of ['first,', 'second,', 'third']) {
      const bytes = await coder.encode(text.repeat(1_000));
      expect(bytes.length).toBeGreaterThan(0);
      parts.push(bytes);
    }
    parts.push(await coder.end());
    coder.close();
    const text = DECODERS[coding](Buffer.concat(parts)).toString('utf8');
    expect(text).toBe('first,'.repeat(1_000) + 'second,'.repeat(1_000) + 'third'.repeat(1_000));
  },
);
