import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ListTurns } from '../../src/shares/list-turns.ts';
import { ManualTimers } from './manual-timers.ts';

/** Turns, and what has had one, in the order in which it came; nothing ends its turn by itself. */
function makeTurns(hasOthers: boolean) {
  const timers = new ManualTimers();
  const turns = new ListTurns({
    recentPartners: { hasOthers: () => hasOthers },
    monotonicMs: timers.monotonicMs,
    startTimer: timers.start,
  });
  const had: string[] = [];
  const ends: (() => void)[] = [];
  const begin = async (name: string, acquire: Promise<() => void>): Promise<void> => {
    try {
      ends.push(await acquire);
      had.push(name);
    } catch {
      had.push(`${name} refused`);
    }
  };
  return {
    had,
    page: (name: string, partner = 'a') => void begin(name, turns.acquirePage(partner)),
    chunk: (name: string, partner = 'a', signal?: AbortSignal) =>
      void begin(name, turns.acquireChunk(partner, signal)),
    advance: async (ms: number) => {
      timers.advance(ms);
      await setImmediate();
    },
    /** Ends the turn that has lasted longest. */
    endFirst: async () => {
      ends.shift()?.();
      await setImmediate();
    },
  };
}

test.each([
  [true, 1],
  [false, 2],
])(
  'a partner, beside others: %s, has %i pages or chunks at once, and another has its own',
  async (hasOthers, most) => {
    const { had, page, chunk, endFirst } = makeTurns(hasOthers);
    for (const n of [1, 2]) chunk(`chunk ${n}`);
    for (const n of [1, 2]) page(`page ${n}`);
    await setImmediate();
    expect(had).toHaveLength(most);
    page('page of another', 'b');
    await setImmediate();
    expect(had).toHaveLength(most + 1);
    for (let ended = 0; ended < 5; ended++) await endFirst();
    expect(had.toSorted()).toEqual(['chunk 1', 'chunk 2', 'page 1', 'page 2', 'page of another']);
  },
);

test('a page waits for one chunk of sixteen lists that are sent, and a chunk for one page', async () => {
  const { had, page, chunk, endFirst } = makeTurns(true);
  for (let n = 1; n <= 16; n++) chunk(`chunk ${n}`);
  for (let n = 1; n <= 3; n++) page(`page ${n}`);
  await setImmediate();
  for (let ended = 0; ended < 6; ended++) await endFirst();
  expect(had).toEqual(['chunk 1', 'page 1', 'chunk 2', 'page 2', 'chunk 3', 'page 3', 'chunk 4']);
});

test('behind what does not end a page is refused after two seconds in all, and a chunk of a list that has begun after thirty', async () => {
  const { had, page, chunk, advance, endFirst } = makeTurns(true);
  page('page');
  await setImmediate();
  page('second page');
  chunk('chunk');
  await setImmediate();
  await advance(1_500);
  await endFirst();
  // The chunk has the turn now, and the second page is the first to wait for it.
  expect(had).toEqual(['page', 'chunk']);
  chunk('second chunk');
  await setImmediate();
  await advance(499);
  expect(had).toHaveLength(2);
  await advance(1);
  expect(had.slice(2)).toEqual(['second page refused']);
  await advance(29_499);
  expect(had).toHaveLength(3);
  await advance(1);
  expect(had.slice(3)).toEqual(['second chunk refused']);
});

test('of nine partners eight have a turn, and the ninth has one behind those that waited before it', async () => {
  const { had, page, chunk, endFirst } = makeTurns(true);
  for (let partner = 1; partner <= 8; partner++) {
    page(`page of ${partner}`, String(partner));
    chunk(`chunk of ${partner}`, String(partner));
  }
  await setImmediate();
  page('page of 9', '9');
  await setImmediate();
  expect(had).toHaveLength(8);
  for (let ended = 0; ended < 9; ended++) await endFirst();
  const chunks = Array.from({ length: 8 }, (_, n) => `chunk of ${n + 1}`);
  expect(had.slice(8)).toEqual([...chunks, 'page of 9']);
});

test('a thousand pages that wait keep no chunk from its turn', async () => {
  const { had, page, chunk, endFirst } = makeTurns(true);
  for (let n = 1; n <= 1_001; n++) page(`page ${n}`);
  chunk('chunk');
  await setImmediate();
  expect(had).toEqual(['page 1']);
  await endFirst();
  expect(had).toEqual(['page 1', 'chunk']);
});

test.each([
  ['behind a page', (turns: ReturnType<typeof makeTurns>) => turns.page('first')],
  ['behind another chunk', (turns: ReturnType<typeof makeTurns>) => turns.chunk('first')],
])('a chunk that nobody waits for any more leaves its place, %s', async (_name, begin) => {
  const turns = makeTurns(true);
  begin(turns);
  await setImmediate();
  const gone = new AbortController();
  turns.chunk('chunk', 'a', gone.signal);
  await setImmediate();
  gone.abort();
  await setImmediate();
  expect(turns.had).toEqual(['first', 'chunk refused']);
  turns.chunk('next');
  await setImmediate();
  await turns.endFirst();
  expect(turns.had.slice(2)).toEqual(['next']);
});
