// The service, its peer and the bare server give the same answers, and refuse the same requests: else they could not be measured
// side by side.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { checkAnswers, fetchAnswer, fillMemory, targetsOf } from '../../bench/requests/answers.ts';
import { QUESTIONS, usersPath } from '../../bench/requests/questions.ts';
import { createWorld } from '../../bench/requests/world.ts';
import type { World } from '../../bench/requests/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld(false);
  await fillMemory(world.targets, QUESTIONS, world.caller);
});
afterAll(() => world.remove());

test.each(QUESTIONS)('$name: the same answer of all who are asked', async (question) => {
  const { targets, caller } = world;
  expect(targetsOf(question, targets).length).toBeGreaterThan(1);
  await checkAnswers(targets, [question], caller);
  const { status, body } = await fetchAnswer(targets.service ?? 0, question, caller);
  expect(status).toBe(question.status);
  expect(body.length).toBeGreaterThan(2);
});

test('an answer that is another one is told', async () => {
  const { targets, caller } = world;
  const [question] = QUESTIONS;
  if (question === undefined) throw new Error('There are questions.');
  const other = { ...question, ask: () => ({ ...question.ask(caller), path: `/no${randomUUID()}` }) };
  await expect(checkAnswers(targets, [other], caller)).rejects.toThrow('GET user is not answered alike');
});

const json = { 'content-type': 'application/json' };
const user = { email: `${randomUUID()}@example.com`, role: 'user' };
const refusals: readonly (readonly [
  status: number,
  what: string,
  ask: (world: World) => RequestInit & { readonly path: string },
])[] = [
  [401, 'no token', ({ caller }) => ({ path: `${usersPath(caller.orgId)}/${caller.userIds[0] ?? ''}` })],
  [
    401,
    'an unknown token',
    ({ caller }) => ({
      path: `${usersPath(caller.orgId)}/${caller.userIds[0] ?? ''}`,
      headers: { authorization: 'Bearer pat_unknown' },
    }),
  ],
  [
    403,
    'another organization',
    (it) => ({ path: `${usersPath(randomUUID())}/${it.caller.userIds[0] ?? ''}`, ...withToken(it) }),
  ],
  [
    404,
    'another user',
    (it) => ({ path: `${usersPath(it.caller.orgId)}/${randomUUID()}`, ...withToken(it) }),
  ],
  [422, 'no UUID', (it) => ({ path: `${usersPath(it.caller.orgId)}/7`, ...withToken(it) })],
  [422, 'limit 0', (it) => ({ path: `${usersPath(it.caller.orgId)}?limit=0`, ...withToken(it) })],
  [
    422,
    'an unknown parameter',
    (it) => ({ path: `${usersPath(it.caller.orgId)}?limit=1&page=2`, ...withToken(it) }),
  ],
  [422, 'a body without an email', (it) => post(it, { role: 'user' })],
  [422, 'an unknown property', (it) => post(it, { ...user, age: 7 })],
  [422, 'one coordinate', (it) => post(it, { ...user, latitude: 48 })],
  [422, 'a country that is none', (it) => post(it, { ...user, country: 'QQ' })],
  [409, 'a taken email', (it) => post(it, { ...user, email: 'USER1@example.com' })],
  [
    401,
    'a wrong secret',
    ({ caller }) => ({
      path: '/oauth2/token/',
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${caller.clientId}:wrong`)}`, ...json },
      body: '{"grant_type":"client_credentials"}',
    }),
  ],
];

function withToken({ caller }: World): RequestInit {
  return { headers: { authorization: `Bearer ${caller.token}` } };
}

function post({ caller }: World, body: unknown): RequestInit & { readonly path: string } {
  return {
    path: usersPath(caller.orgId),
    method: 'POST',
    headers: { authorization: `Bearer ${caller.token}`, ...json },
    body: JSON.stringify(body),
  };
}

test.each(refusals)('%i for %s, from the service and from its peer', async (status, _, ask) => {
  const { path, ...init } = ask(world);
  const answers = await Promise.all(
    [world.targets.service, world.targets.peer].map((port) => fetch(`http://127.0.0.1:${port}${path}`, init)),
  );
  expect(answers.map((answer) => answer.status)).toEqual([status, status]);
});
