import { afterEach, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Actor } from '../../src/domain/users/actor.ts';
import { TokenChecks } from '../../src/streams/token-checks.ts';
import type { EndReason } from '../../src/streams/token-checks.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const leave of open.splice(0)) leave();
});

const actorOf = (tokenDigest: string): Actor => ({
  userId: randomUUID(),
  orgId: 'org',
  partnerId: 'org',
  role: 'admin',
  scope: 'read',
  applicationId: randomUUID(),
  tokenDigest,
});

interface World {
  /** The tokens that each check asked about. */
  readonly asked: (readonly string[])[];
  readonly errors: unknown[];
  /** Who can be found; nothing is found while the database is away. */
  readonly actors: Map<string, Actor>;
  isAway: boolean;
  /** Checks do not end before it resolves. */
  hold: Promise<void> | undefined;
  nowMs: number;
  /** The tokens whose streams have ended. */
  readonly ended: string[];
  readonly reasons: EndReason[];
  /** Opens a stream with this token; the returned function says that its client has left. */
  readonly watch: (tokenDigest: string) => () => void;
  /** Resolves when `count` more checks have ended. */
  readonly checks: (count: number) => Promise<void>;
}

function begin(): World {
  const world: Omit<World, 'watch' | 'checks'> = {
    asked: [],
    errors: [],
    actors: new Map(),
    isAway: false,
    hold: undefined,
    nowMs: 0,
    ended: [],
    reasons: [],
  };
  const checks = new TokenChecks({
    findActors: async (actors) => {
      world.asked.push(actors.map(({ tokenDigest }) => tokenDigest));
      await world.hold;
      if (world.isAway) throw new Error('The database is away.');
      return new Map(world.actors);
    },
    onError: (error) => world.errors.push(error),
    monotonicMs: () => world.nowMs,
    intervalMs: 1,
  });
  return Object.assign(world, {
    watch: (tokenDigest: string) => {
      const actor = world.actors.get(tokenDigest) ?? actorOf(tokenDigest);
      world.actors.set(tokenDigest, actor);
      const leave = checks.watch(actor, (reason) => {
        world.ended.push(tokenDigest);
        world.reasons.push(reason);
      });
      open.push(leave);
      return leave;
    },
    checks: async (count: number) => {
      // The check after them has begun.
      const wanted = world.asked.length + count + 1;
      while (world.asked.length < wanted) await turn();
    },
  });
}

test('fifty streams of fifty tokens are checked in one statement, two streams of a token once', async () => {
  const world = begin();
  const tokens = Array.from({ length: 50 }, (_, index) => `token ${index}`);
  for (const token of [...tokens, 'token 7']) world.watch(token);
  await world.checks(2);
  expect(world.asked.slice(0, 2)).toEqual([tokens, tokens]);
  expect(world.ended).toEqual([]);
});

test('the streams of a token that is not found any more, or has another role, end, and no others', async () => {
  const world = begin();
  for (const token of ['stays', 'gone', 'gone', 'changed']) world.watch(token);
  world.actors.delete('gone');
  world.actors.set('changed', { ...actorOf('changed'), role: 'staff' });
  await world.checks(3);
  expect(world.ended).toEqual(['gone', 'gone', 'changed']);
  expect(world.reasons).toEqual(Array(3).fill('refused'));
  expect(world.asked.at(-1)).toEqual(['stays']);
});

test('nothing is asked while no stream is open, and again once one is', async () => {
  const world = begin();
  world.watch('first')();
  // Long enough for another one to check three times.
  const other = begin();
  other.watch('other');
  await other.checks(3);
  expect(world.asked).toEqual([]);
  world.watch('second');
  world.actors.delete('second');
  while (world.ended.length === 0) await turn();
  expect(world.asked).toEqual([['second']]);
});

test('one check is under way at a time, also when all streams end and others begin during it', async () => {
  const world = begin();
  const answer = Promise.withResolvers<undefined>();
  world.hold = answer.promise;
  const leave = world.watch('first');
  while (world.asked.length === 0) await turn();
  leave();
  world.watch('second');
  world.actors.delete('first');
  // Long enough for another one to check three times.
  const other = begin();
  other.watch('other');
  await other.checks(3);
  expect(world.asked).toEqual([['first']]);
  world.hold = undefined;
  answer.resolve(undefined);
  await world.checks(1);
  expect(world.asked.slice(0, 2)).toEqual([['first'], ['second']]);
  expect(world.ended).toEqual([]);
});

test('while the database is away streams stay for five seconds since the last answer, and then end with the reason', async () => {
  const world = begin();
  world.watch('token');
  world.nowMs = 10_000;
  await world.checks(1);
  world.isAway = true;
  await world.checks(2);
  world.nowMs = 14_999;
  await world.checks(2);
  expect([world.ended, world.errors[0]]).toEqual([[], new Error('The database is away.')]);
  world.nowMs = 15_000;
  while (world.ended.length === 0) await turn();
  expect([world.ended, world.reasons]).toEqual([['token'], ['unanswered']]);
});
