import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSession } from '../../src/accounts/sessions.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

const OF_AN_ADDRESS = 5;
const MINUTE_MS = 60_000;

let api: Api;
beforeAll(async () => {
  api = await startApi({
    rateLimits: {
      ...DEFAULT_RATE_LIMITS,
      default: { quota: OF_AN_ADDRESS, windowSeconds: 60 },
      partner: { quota: 8, windowSeconds: 60 },
    },
  });
  const { orgId, id } = api.own.admin;
  await api.db
    .updateTable('users')
    .set({ username: 'admin', password_hash: 'none', password_change_required: false })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
});
beforeEach(() => api.clock.advance(MINUTE_MS));
afterAll(() => api.close());

interface Answered {
  readonly status: number;
  readonly left: string | null;
  readonly connection: string | null;
}

async function ask(path: string, cookie = ''): Promise<Answered> {
  const answer = await fetch(new URL(path, api.baseUrl), { headers: { cookie }, redirect: 'manual' });
  await answer.arrayBuffer();
  const { headers } = answer;
  return { status: answer.status, left: headers.get('ratelimit'), connection: headers.get('connection') };
}

/** The cookie of a person who is signed in. */
async function signIn(): Promise<string> {
  const { orgId, id } = api.own.admin;
  return `partner_session=${await createSession(api.db, { orgId, userId: id }, api.clock.now())}`;
}

const askForPage = (cookie: string): Promise<Answered> => ask('/portal/', cookie);

/** Uses up what the address of all these requests has. */
async function useUpAddress(): Promise<void> {
  for (;;) if ((await ask('/accounts/login/')).status === 429) return;
}

test('who is signed in is served while others have used up what their address has', async () => {
  const cookie = await signIn();
  expect(await askForPage(cookie)).toMatchObject({
    status: 200,
    left: '"default";r=4;t=60, "partner";r=7;t=60',
  });
  await useUpAddress();
  // The first one was counted by its address, since nobody knew the session.
  expect(await askForPage(cookie)).toMatchObject({
    status: 200,
    left: '"default";r=4;t=60, "partner";r=6;t=60',
  });
  expect(await ask('/docs', cookie)).toMatchObject({ status: 200, left: '"default";r=3;t=60' });
});

test('a session has its own quota, and with the others of its partner that of the partner', async () => {
  const [one, other] = [await signIn(), await signIn()];
  for (const cookie of [one, other]) expect((await askForPage(cookie)).status).toBe(200);
  const left = [];
  for (let n = 0; n < OF_AN_ADDRESS; n += 1) left.push((await askForPage(one)).left);
  expect(left.at(-1)).toBe('"default";r=0;t=60, "partner";r=1;t=60');
  expect(await askForPage(one)).toMatchObject({
    status: 429,
    left: '"default";r=0;t=60',
    connection: 'keep-alive',
  });
  expect((await askForPage(other)).left).toBe('"default";r=4;t=60, "partner";r=0;t=60');
  expect((await askForPage(other)).status).toBe(429);
});

test('a session that the process has not seen is looked up within the quota of its address', async () => {
  const cookie = await signIn();
  await useUpAddress();
  expect(await askForPage(cookie)).toMatchObject({ status: 429, connection: 'close' });
  api.clock.advance(MINUTE_MS);
  expect((await askForPage(cookie)).status).toBe(200);
});

test('a session that has ended is counted by its address again', async () => {
  const cookie = await signIn();
  expect((await askForPage(cookie)).status).toBe(200);
  await api.db.deleteFrom('portal_sessions').execute();
  await useUpAddress();
  // That it has ended is found out once.
  expect([(await askForPage(cookie)).status, (await askForPage(cookie)).status]).toEqual([303, 429]);
});
