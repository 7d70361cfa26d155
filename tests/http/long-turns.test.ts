// Requests that wait while others make the turns of the event loop long: what such a turn begins of whom.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { ask } from './opened-server.ts';
import { endServed, serveInTurns, withHeader } from './served-in-turns.ts';

afterEach(endServed);

const WORK_MS = 0.5;

/** How many each turn begins of so many requests, while others work for so long in each; the first one and the last two left out. */
async function countOfTurns(count: number, othersMs: number, header?: string): Promise<number[]> {
  const counts = [0];
  const begin = (): void => void (counts[0] = (counts[0] ?? 0) + 1);
  const {
    clock,
    connect: open,
    settle,
  } = await serveInTurns(
    (_request, response) => {
      begin();
      response.end('done');
    },
    undefined,
    WORK_MS,
  );
  const sockets = await open(count);
  const text = header === undefined ? ask('/') : withHeader('/', header);
  for (const socket of sockets) socket.write(text);
  await settle(1);
  let isOver = false;
  const work = (): void => {
    clock.nowMs += othersMs;
    counts.unshift(0);
    if (!isOver) setImmediate(work);
  };
  setImmediate(work);
  await settle(count);
  isOver = true;
  await turn();
  const full = counts
    .filter((begun) => begun > 0)
    .toReversed()
    .slice(1, -2);
  expect(full.length).toBeGreaterThan(3);
  return full;
}

const OF_A_PARTNER = 'Authorization: Bearer a';

test.each([
  ['one is begun in a turn where it takes no longer', 0, 1],
  ['they are begun in a quarter of turns of eight milliseconds', 6, 4],
  ['they are begun for four milliseconds where turns take longer', 60, 8],
])('of sixty of a partner %s', async (_name, othersMs, begun) => {
  expect(new Set(await countOfTurns(60, othersMs, OF_A_PARTNER))).toEqual(new Set([begun]));
});

test('of an address one is begun in a long turn', async () => {
  expect(new Set(await countOfTurns(60, 6))).toEqual(new Set([1]));
});

test('of a partner of whom many wait one is begun in a long turn, until 64 are left', async () => {
  // Some ten of them are begun at once.
  const counts = await countOfTurns(120, 6, OF_A_PARTNER);
  const withMany = counts.filter((begun) => begun === 1);
  expect(withMany.length).toBeGreaterThan(30);
  expect(counts).toEqual([...withMany, ...counts.slice(withMany.length).map(() => 4)]);
});
