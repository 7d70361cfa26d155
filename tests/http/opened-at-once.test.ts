import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ReadLimits } from '../../src/http/read-turns.ts';
import { serveByHand } from './connections-by-hand.ts';
import type { FakeSocket } from './connections-by-hand.ts';
import { LIMITS, READ_MS, serve } from './read-server.ts';

const COUNT = 40;
const TURNS = 3;
const BURSTS = { ...LIMITS, bursts: { turns: TURNS, burstMs: 1_000, restMs: 1_000 } };
const STRANGER = '192.0.2.1';
const PARTNERS = '198.51.100.1';

/** A server, and turns of the loop in each of which one connection is opened. */
function begin(limits: Partial<ReadLimits> = {}) {
  const byHand = serveByHand(0, { ...BURSTS, ...limits }, READ_MS);
  const openOne = async (address: string): Promise<FakeSocket> => {
    byHand.clock.turn += 1;
    const socket = byHand.open(address);
    await turn();
    return socket;
  };
  const openAll = async (count: number): Promise<FakeSocket[]> => {
    const sockets: FakeSocket[] = [];
    while (sockets.length < count) sockets.push(await openOne(STRANGER));
    return sockets;
  };
  const pass = async (): Promise<void> => {
    byHand.clock.turn += 1;
    await turn();
  };
  return { ...byHand, openOne, openAll, pass };
}

const countHeld = (sockets: readonly FakeSocket[]): number => sockets.filter(({ isHeld }) => isHeld).length;

test('connections that strangers open at once are accepted before they are read', async () => {
  const served = await serve(BURSTS);
  for (let n = 0; n < COUNT; n++) served.open('127.0.0.2', `/a${n}`);
  await served.settle(COUNT);
  // Without it all but the last two are; a system that is late with a few of them makes it several bursts.
  expect(served.accepted.filter((count) => count < COUNT).length).toBeLessThan(COUNT / 2);
});

describe('connections that strangers open at once', () => {
  test('are held but for the first, and let go behind the last, an eighth of what is let go of quiet ones', async () => {
    const { openAll, pass } = begin({ letGoOfTurn: 16 });
    const sockets = await openAll(COUNT);
    expect(countHeld(sockets)).toBe(COUNT - TURNS + 1);
    await pass();
    expect(countHeld(sockets)).toBe(COUNT - TURNS + 1 - 2);
  });

  test('are no more than so many', async () => {
    const { openAll } = begin({ maxOpened: 10 });
    expect(countHeld(await openAll(COUNT))).toBe(10);
  });

  test('are let go while more are opened where that goes on for longer', async () => {
    const { openAll, clock } = begin();
    const sockets = await openAll(COUNT);
    clock.nowMs += 1_000;
    await openAll(COUNT);
    expect(countHeld(sockets)).toBe(0);
  });

  test('do not hold up one from an address from which a partner has another', async () => {
    const { openOne, openAll, request, pass } = begin();
    const partner = await openOne(PARTNERS);
    request(partner, 'partner b');
    await pass();
    await openAll(COUNT);
    expect((await openOne(PARTNERS)).isHeld).toBe(false);

    partner.emit('close');
    await pass();
    await openAll(COUNT);
    expect((await openOne(PARTNERS)).isHeld).toBe(true);
  });

  test('do not hold up those of partners that had been held before', async () => {
    const { openOne, openAll, request, pass, read, clock } = begin();
    const partners: FakeSocket[] = [];
    for (let n = 0; n < COUNT; n++) {
      partners.push(await openOne(PARTNERS));
      request(partners[n] as FakeSocket, 'partner b');
      await pass();
    }
    clock.nowMs += 1_000;
    // What comes on the first ones has the others held.
    clock.turn += 1;
    read(partners.slice(0, 5));
    const held = countHeld(partners);
    expect(held).toBeGreaterThan(COUNT / 2);
    const strangers = await openAll(COUNT);
    expect(countHeld(partners)).toBe(0);
    expect(countHeld(strangers)).toBe(COUNT - TURNS + 1);
  });
});
