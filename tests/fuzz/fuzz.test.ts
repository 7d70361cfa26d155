// A few requests of every operation (`make fuzz` sends hundreds), and that what is wrong with an answer is found.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOperation } from '../../bench/equivalence/document.ts';
import type { Answer } from '../../bench/equivalence/exchange.ts';
import { createEquivalenceWorld } from '../../bench/equivalence/world.ts';
import type { EquivalenceWorld } from '../../bench/equivalence/world.ts';
import { ROOT } from '../../bench/version.ts';
import { testServer } from '../support/database.ts';
import { fuzz, isWanting } from './fuzz.ts';
import { faultOf, isAllowed } from './verify.ts';

describe('every operation', () => {
  let world: EquivalenceWorld<readonly [string]>;
  beforeAll(async () => {
    world = await createEquivalenceWorld([ROOT], testServer().connection);
  });
  afterAll(() => world.remove());

  test('answers what the document has, whatever it is asked', async () => {
    const [baseUrl] = world.baseUrls;
    const { faults, tallies } = await fuzz({ ...world, baseUrl, count: 2, seed: 11 });
    expect(faults.map(({ what, answer }) => `${what}: ${answer.body}`)).toEqual([]);
    expect([...tallies].filter(([, tally]) => isWanting(tally, 2))).toEqual([]);
  });
});

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

test.each<[fault: RegExp, answer: Answer]>([
  [/^no answer: ECONNRESET$/, { status: 0, headers: {}, body: 'ECONNRESET' }],
  [/^status 503$/, { status: 503, headers: JSON_TYPE, body: '{}' }],
  [/^status 418 is not documented$/, { status: 418, headers: JSON_TYPE, body: '{}' }],
  [
    /^type text\/html of status 200 is not/,
    { status: 200, headers: { 'content-type': 'text/html' }, body: 'a' },
  ],
  [/^body of status 200: .*required property/, { status: 200, headers: JSON_TYPE, body: '{}' }],
  [/^status 200 without its body$/, { status: 200, headers: {}, body: '' }],
])('%s is found', (fault, answer) => {
  expect(faultOf(findOperation('getUser'), answer)).toMatch(fault);
});

test('a body where there is none is found', () => {
  const answer = { status: 204, headers: {}, body: 'a' };
  expect(faultOf(findOperation('deleteWebhook'), answer)).toMatch(/^a body with status 204/);
});

test('requests are told apart by what the document allows', async () => {
  const list = findOperation('listUsers');
  const ask = (target: string, method = 'GET'): Promise<boolean | undefined> =>
    isAllowed(list, { operationId: list.id, place: {}, method, target, headers: {}, body: undefined });
  const users = list.route.path.replace('{org_id}', 'd2c1b0a9-8f7e-4d6c-9b5a-4f3e2d1c0b9a');
  expect([
    await ask(`${users}?limit=5`),
    await ask(`${users}?limit=none`),
    await ask(`${users}?unknown=1`),
    await ask(`${users}/`),
    await ask(users.replace(/org\/[^/]+/, 'org/..')),
    await ask(users, 'HEAD'),
  ]).toEqual([true, false, false, undefined, undefined, undefined]);
});
