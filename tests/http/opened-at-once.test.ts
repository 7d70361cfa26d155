import { describe, expect, test } from 'vitest';
import { ask, openKnown, serve } from './read-server.ts';
import type { Served } from './read-server.ts';

const COUNT = 40;

describe('40 connections that strangers open at once', () => {
  const TURNS = 3;
  const BURSTS = { bursts: { turns: TURNS, burstMs: 1_000, restMs: 1_000 } };

  function openAll({ open }: Served): void {
    for (let n = 0; n < COUNT; n++) open('127.0.0.2', `/a${n}`);
  }

  test('are accepted before they are read, but for the first', async () => {
    const served = await serve(BURSTS);
    openAll(served);
    await served.settle(COUNT);
    expect(served.accepted.filter((count) => count < COUNT).length).toBeLessThanOrEqual(TURNS);
  });

  test('are let go one after the other, a quarter of what is let go of quiet ones', async () => {
    const served = await serve({ ...BURSTS, turnMs: 100, volley: 100, letGoOfTurn: 8 });
    openAll(served);
    await served.settle(COUNT);
    const perTurn = Map.groupBy(served.turns.slice(TURNS), (turn) => turn).values();
    expect(Math.max(...[...perTurn].map(({ length }) => length))).toBe(2);
  });

  test('wait behind one that is opened from an address from which a partner has one', async () => {
    const served = await serve(BURSTS);
    await openKnown(served, 1, 'p', 'partner b');
    openAll(served);
    served.open('127.0.0.1', '/new');
    await served.settle(1 + COUNT + 1);
    expect(served.read.indexOf('/new')).toBeLessThanOrEqual(1 + TURNS);
  });

  test('are read in the order in which they were opened where that partner has left', async () => {
    const served = await serve(BURSTS);
    const [partner] = await openKnown(served, 1, 'p', 'partner b');
    partner?.destroy();
    await served.settle(2);
    openAll(served);
    served.open('127.0.0.1', '/new');
    await served.settle(2 + COUNT + 1);
    // Its address takes turns with theirs.
    expect(served.read.indexOf('/new')).toBeGreaterThan(1 + TURNS);
  });

  test('do not keep a partner waiting whose connections are held', async () => {
    const served = await serve(BURSTS);
    const known = await openKnown(served, 12, 'p', 'partner b');
    const before = served.read.length;
    openAll(served);
    for (const [n, socket] of known.entries()) socket.write(ask(`/p${n}`, 'partner b'));
    await served.settle(before + COUNT + known.length);
    const order = served.read.slice(before);
    const strangers = order.slice(
      0,
      order.findLastIndex((path) => path.startsWith('/p')),
    );
    expect(strangers.filter((path) => path.startsWith('/a')).length).toBeLessThanOrEqual(TURNS);
  });
});
