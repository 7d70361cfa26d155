// What was begun with a credential that ends meanwhile: a body that comes slowly, a list that is read slowly.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { StreamedBytes } from '../../src/contract/streamed-bytes.ts';
import { sendReply } from '../../src/http/reply.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api, Person } from '../support/api.ts';

let api: Api;
/** Called when a request has been found to be of a partner. */
let onAuthenticated: () => void = () => undefined;

beforeAll(async () => {
  api = await startApi({
    recentPartners: { note: () => onAuthenticated(), hasOthers: () => false },
  });
});
afterAll(() => api.close());
afterEach(() => void (onAuthenticated = () => undefined));

const path = (place: string): string => `/api/partners/v2.0/org/${api.own.orgId}/${place}`;
const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` });

function open(
  method: string,
  url: string,
  headers: Readonly<Record<string, string | number>>,
): ClientRequest {
  const sent = request(new URL(url, api.baseUrl), { method, headers, agent: false });
  return sent.on('error', () => undefined);
}

async function answerOf(sent: ClientRequest): Promise<[status: number | undefined, code: unknown]> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return [answer.statusCode, (JSON.parse(text) as { code?: unknown }).code];
}

/** Deletes the person, or makes it a user, by the API: in this process that counts at once. */
const ends = {
  'whose caller is deleted': ({ id }: Person) => ({ method: 'DELETE', url: path(`users/${id}`), body: '' }),
  'whose caller has another role': ({ id }: Person) => ({
    method: 'PUT',
    url: path(`users/${id}`),
    body: '{"role":"user"}',
  }),
};

async function end(make: (typeof ends)[keyof typeof ends], person: Person): Promise<void> {
  const { method, url, body } = make(person);
  const headers = { ...bearer(api.own.admin), 'content-type': 'application/json' };
  const answer = await fetch(new URL(url, api.baseUrl), { method, headers, body: body || null });
  await answer.arrayBuffer();
  expect(answer.ok).toBe(true);
}

const bodies = {
  createUser: ['POST', 'users', '{"email":"slow@example.com","role":"user"}'],
  uploadDayAheadPrices: [
    'PATCH',
    'trading/dayahead/prices',
    '{"data":[{"timestamp":"2026-06-16T00:00:00Z","price":1}]}',
  ],
} as const;

const refusals = {
  'whose caller is deleted': [401, 'invalid_token'],
  'whose caller has another role': [403, 'role_forbidden'],
} as const;

describe.each(Object.keys(bodies) as (keyof typeof bodies)[])('a body of %s', (operation) => {
  const [method, place, body] = bodies[operation];

  async function sendHalf(person: Person): Promise<ClientRequest> {
    const isAuthenticated = new Promise<void>((resolve) => (onAuthenticated = resolve));
    const headers = {
      ...bearer(person),
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sent = open(method, path(place), headers);
    sent.write(body.slice(0, 10));
    await isAuthenticated;
    return sent;
  }

  test.each(Object.keys(ends) as (keyof typeof ends)[])(
    '%s before it has come changes nothing',
    async (how) => {
      const person = await addPerson(api.db, api.own.orgId, 'staff', api.clock.now());
      const sent = await sendHalf(person);
      await end(ends[how], person);
      const answer = answerOf(sent);
      sent.end(body.slice(10));
      expect(await answer).toEqual(refusals[how]);
      const users = await sql`select id from users where email = 'slow@example.com'`.execute(api.db);
      const prices = await sql`select price from day_ahead_prices`.execute(api.db);
      expect([users.rows, prices.rows]).toEqual([[], []]);
    },
  );
});

test('a list ends when its reader is deleted', async () => {
  const count = 40_000;
  await sql`
    insert into users (org_id, id, email, role, created_at, updated_at)
    select ${api.own.orgId}, gen_random_uuid(), index || '@example.com', 'user', now(), now()
    from generate_series(1, ${count}::int) index
  `.execute(api.db);
  const reader = await addPerson(api.db, api.own.orgId, 'admin', api.clock.now());
  const sent = open('GET', path('users'), bearer(reader)).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  // Nothing of it is read meanwhile: of some 20 MB the system takes less than half.
  await end(ends['whose caller is deleted'], reader);
  await expect(answer.toArray()).rejects.toThrow('aborted');
});

/** A body without an end is cut off, by what is said of its caller. */
async function expectCutOff(
  body: (parts: AsyncGenerator<string>) => object,
  isStillAllowed: () => Promise<boolean>,
): Promise<void> {
  async function* parts(): AsyncGenerator<string> {
    for (;;) yield await Promise.resolve('x'.repeat(40_000));
  }
  const acquire = () => Promise.resolve(() => undefined);
  const server = createServer((_, response: ServerResponse) => {
    void sendReply(
      response as Response,
      { status: 200, body: body(parts()) },
      {
        caller: { isStillAllowed, watchCaller: () => () => undefined },
        lists: { acquireList: acquire, acquireChunk: acquire },
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const sent = request({ port: (server.address() as AddressInfo).port, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await expect(answer.toArray()).rejects.toThrow('aborted');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each([
  ['a list', (parts: AsyncGenerator<string>) => parts],
  ['a table', (parts: AsyncGenerator<string>) => new StreamedBytes('text/csv', parts)],
])('%s is not written on once its caller may not read, or nobody knows', async (_name, body) => {
  const asked = { refused: 0, unknown: 0 };
  await expectCutOff(body, () => Promise.resolve(++asked.refused < 5));
  await expectCutOff(body, () =>
    ++asked.unknown < 3 ? Promise.resolve(true) : Promise.reject(new Error('The database is away.')),
  );
  expect(asked).toEqual({ refused: 5, unknown: 3 });
});
