import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { stopReading } from '../../src/http/stop-connection.ts';
import { PROCESS_CLOCK } from '../../src/loops/loop-clock.ts';
import { serveByHand } from './connections-by-hand.ts';
import { ask, LIMITS, openKnown, READ_MS, serve } from './read-server.ts';
import type { Served } from './read-server.ts';

/** How many reads the limits have in a turn. */
const QUIET_OF_TURN = 3;
const ACTIVE_OF_TURN = 5;
const COUNT = 40;

function mostOfTurn(turns: readonly number[]): number {
  return Math.max(...[...Map.groupBy(turns, (each) => each).values()].map(({ length }) => length));
}

const askAll = (sockets: readonly Socket[]): void => {
  for (const [n, socket] of sockets.entries()) socket.write(ask(`/a${n}`));
};

/** Each sends a request, /a0 and so on, and the turns of the loop in which they are read. */
async function readAll(served: Served, sockets: readonly Socket[]): Promise<readonly number[]> {
  const before = served.read.length;
  askAll(sockets);
  await served.settle(before + sockets.length);
  expect(new Set(served.read.slice(before)).size).toBe(sockets.length);
  return served.turns.slice(before);
}

describe('40 connections that are readable at once', () => {
  test('are read three in a turn where they had been quiet, then as many as are let go', async () => {
    const served = await serve();
    const turns = await readAll(served, await openKnown(served, COUNT, 'a'));
    expect(turns.filter((each) => each === turns[0])).toHaveLength(QUIET_OF_TURN);
    expect(mostOfTurn(turns)).toBe(LIMITS.letGoOfTurn);
  });

  test('are read for longer where they had not', async () => {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    await readAll(served, sockets);
    served.rest(LIMITS.quietMs / 2);
    const turns = await readAll(served, sockets);
    expect(turns.filter((each) => each === turns[0])).toHaveLength(ACTIVE_OF_TURN);
  });

  test('are read for as long where few of them had been quiet', async () => {
    const served = await serve({ volley: COUNT + 1 });
    const turns = await readAll(served, await openKnown(served, COUNT, 'a'));
    expect(turns.filter((each) => each === turns[0])).toHaveLength(ACTIVE_OF_TURN);
  });

  async function expectFewOfTurn(send: (socket: Socket) => unknown): Promise<void> {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    for (const socket of sockets) send(socket);
    await served.settle(2 * COUNT);
    const turns = served.turns.slice(COUNT);
    expect(turns.filter((each) => each === turns[0])).toHaveLength(QUIET_OF_TURN);
    expect(mostOfTurn(turns)).toBe(LIMITS.letGoOfTurn);
  }

  test('are read as few in a turn where they bring what is no HTTP', () =>
    expectFewOfTurn((socket) => socket.write('\u0001'.repeat(65_536))));

  test('are read as few in a turn where they end', () => expectFewOfTurn((socket) => socket.end()));

  test('are read as few in a turn where they are reset', () =>
    expectFewOfTurn((socket) => socket.resetAndDestroy()));

  test('are read at once where they take no time', async () => {
    const served = await serve({ turnMs: COUNT * READ_MS + 1, volleyMs: COUNT * READ_MS + 1 });
    const turns = await readAll(served, await openKnown(served, COUNT, 'a'));
    expect(new Set(turns).size).toBeLessThanOrEqual(2);
  });

  test('are not held again for a time that grows with how many were', async () => {
    const held = 2 * COUNT - QUIET_OF_TURN;
    const served = await serve({ restMs: 1_000 / held });
    const [first, second] = [await openKnown(served, COUNT, 'a'), await openKnown(served, COUNT, 'b')];
    await readAll(served, first);
    // Those of the second are held too, and let go with the others.
    for (let n = 0; n < COUNT; n++) await turn();
    served.rest(LIMITS.quietMs + 1);
    expect(new Set(await readAll(served, second)).size).toBeLessThanOrEqual(2);
    served.rest(1_000);
    expect(mostOfTurn(await readAll(served, first))).toBeLessThanOrEqual(ACTIVE_OF_TURN);
  });
});

describe('beside connections of a stranger that are readable at once', () => {
  /** How many requests of the stranger were read before the last one of the other caller, who sent last. */
  async function readBefore(caller: string, othersRest?: number): Promise<number> {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    const others = await openKnown(served, 4, 'b', caller);
    if (othersRest !== undefined) {
      await readAll(served, [...sockets, ...others]);
      served.rest(othersRest);
    }
    await readAll(served, [...sockets, ...others]);
    const order = served.read.slice(-COUNT - others.length);
    return Math.max(...others.map((_, n) => order.indexOf(`/a${COUNT + n}`))) - (others.length - 1);
  }

  test.each(['partner b', 'address b'])('those of %s come after as many of the first', async (caller) => {
    // A turn before the others are held; then each lets two of both go.
    expect(await readBefore(caller)).toBeLessThanOrEqual(QUIET_OF_TURN + 2 + 2);
  });

  test('those of another do so where none had been quiet', async () => {
    expect(await readBefore('address b', LIMITS.quietMs / 2)).toBeLessThanOrEqual(ACTIVE_OF_TURN + 2 + 2);
  });

  test('one that has just been opened is not held', async () => {
    const served = await serve({ newMs: 1_000 });
    const sockets = await openKnown(served, COUNT, 'a');
    const before = served.read.length;
    const socket = await served.connect();
    askAll(sockets);
    socket.write(ask('/new'));
    await served.settle(before + COUNT + 1);
    expect(served.turns[served.read.indexOf('/new')]).toBe(served.turns[before]);
  });
});

describe('a connection that is held', () => {
  /** Some of 40 are read, then the others are held: one of these with what it has sent, and how many had been read before. */
  async function holdSome(): Promise<{ served: Served; held: Socket; path: string; before: number }> {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    const before = served.read.length;
    askAll(sockets);
    await served.settle(before + 1);
    const n = sockets.findLastIndex((_, each) => !served.read.includes(`/a${each}`));
    const held = served.sockets.get(`/known-a${n}`);
    if (held === undefined) throw new Error('None is held.');
    return { served, held, path: `/a${n}`, before };
  }

  test('stays as it is while somebody else has paused it, and is read once that ends', async () => {
    const { served, held, path, before } = await holdSome();
    stopReading(held);
    await served.settle(before + COUNT - 1);
    for (let n = 0; n < COUNT; n++) await turn();
    expect(served.read).not.toContain(path);
    held.resume();
    await served.settle(before + COUNT);
  });

  /** How many are let go in each turn, of 40 of which so many have sent something. */
  async function countLetGo(sent: number): Promise<readonly number[]> {
    const served = await serve();
    const sockets = await openKnown(served, COUNT, 'a');
    const letGo: number[] = [];
    for (const socket of served.sockets.values())
      socket.on('resume', () => letGo.push(PROCESS_CLOCK.countTurns()));
    await readAll(served, sockets.slice(0, sent));
    for (let n = 0; n < COUNT; n++) await turn();
    return [...Map.groupBy(letGo, (each) => each).values()].map(({ length }) => length);
  }

  test('is let go in its turn: no more than four in one where something has come on the last ones', async () => {
    expect((await countLetGo(COUNT)).slice(0, -1)).toEqual(Array(9).fill(LIMITS.letGoOfTurn));
  });

  test('is let go sooner where nothing has come', async () =>
    expect(await countLetGo(QUIET_OF_TURN)).toEqual([4, 8, 16, 9]));

  test('may end: the others are let go', async () => {
    const { served, held, before } = await holdSome();
    held.destroy();
    await served.settle(before + COUNT - 1);
    expect(served.closed()).toBe(1);
  });

  test('is let go to be read: what others bring before it does not have it held again', async () => {
    const { connections, clock, read } = serveByHand(COUNT, LIMITS, READ_MS);
    const [last] = connections.slice(-1);
    const paused: string[] = [];
    last?.on('pause', () => paused.push('paused')).on('resume', () => paused.push('let go'));
    read(connections.slice(0, QUIET_OF_TURN));
    while (paused.length < 2) {
      clock.turn += 1;
      await turn();
    }
    clock.turn += 1;
    read([...connections.slice(0, ACTIVE_OF_TURN), ...connections.slice(0, ACTIVE_OF_TURN)]);
    expect(paused).toEqual(['paused', 'let go']);
  });
});
