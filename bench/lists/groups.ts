// First pages of every list with each of its filters, of organizations of few and of many rows; and what it costs others that rows
// which were kept for long enough are removed.
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { removeInBatches } from '../../src/maintenance/batches.ts';
import { deleteItemsEndedBefore } from '../../src/queries/notifications/item-retention.ts';
import { LISTS as PAGED_LISTS } from '../../tests/support/list-calls.ts';
import type { Group } from '../group.ts';
import type { Samples } from '../row.ts';
import { median } from '../statistics.ts';
import { askSteadily } from '../steady.ts';
import { createListWorld } from './world.ts';
import type { ListWorld } from './world.ts';

/** Of these 1,000 rows have fewer than fill a page, and a million have more: a page that both fill is compared too. */
const SMALL = 10;
const RARE = ['information by a rare type', 'information by a rare code'];
const smallPage = (name: string): [string, (typeof PAGED_LISTS)[string]] => [
  `${name}, ${SMALL} a page`,
  (own) => {
    const call = PAGED_LISTS[name]?.(own);
    if (call === undefined) throw new Error(`There is no list ${name}.`);
    return { ...call, query: { ...call.query, limit: SMALL } };
  },
];

/** Fleets are sent as they are read: the first bytes come with the first page. */
const LISTS: typeof PAGED_LISTS = {
  ...PAGED_LISTS,
  ...Object.fromEntries(RARE.map(smallPage)),
  fleets: () => ({ operation: 'listFleets' }),
};

const FEW = 1_000;
const MANY = 1_000_000;
/** Requests of a list in a round, at each of the two by turns. */
const ASKED = 15;
const FILE = 'lists/groups.ts';
const inMs = { unit: 'ms', better: 'less' } as const;

/** The organization of many rows is measured beside that of few. */
async function askBoth(few: ListWorld, many: ListWorld, name: keyof typeof LISTS): Promise<Samples> {
  const times = { few: [] as number[], many: [] as number[] };
  const askOne = (world: ListWorld): Promise<number> => {
    const call = LISTS[name]?.(world.own);
    if (call === undefined) throw new Error(`There is no list ${name}.`);
    return world.ask(world.own, call);
  };
  for (let i = 0; i < ASKED; i++) {
    times.few.push(await askOne(few));
    times.many.push(await askOne(many));
  }
  return { [name]: { measured: median(times.many), limit: median(times.few) } };
}

async function askAll(few: ListWorld, many: ListWorld): Promise<Samples> {
  const samples: Record<string, Samples[string]> = {};
  for (const name of Object.keys(LISTS)) Object.assign(samples, await askBoth(few, many, name));
  return samples;
}

const REMOVED = 'items removed';
const LONGEST = 'items removed, longest batch';
const OTHERS = `another partner's p99 beside it`;
/** Items removed in a round: all rounds together remove a million. */
const RETENTION_ROUNDS = 5;
const REMOVED_IN_ROUND = MANY / RETENTION_ROUNDS;
/** Requests of the other partner, a second; without removals so many seconds. */
const REQUESTS_PER_SECOND = 100;
const ALONE_MS = 20_000;

/** Removes what a round is to remove, as the sweeper does; the longest batch and the rate, with the pauses between batches. */
async function removeItems({ database }: ListWorld): Promise<{ longestMs: number; perSecond: number }> {
  const before = new Date(Date.now() + DAY_MS);
  let [removed, longestMs] = [0, 0];
  const startedAt = performance.now();
  await removeInBatches(
    async (limit) => {
      const batchAt = performance.now();
      const count = await deleteItemsEndedBefore(database.db, before, limit);
      longestMs = Math.max(longestMs, performance.now() - batchAt);
      removed += count;
      return count;
    },
    {
      most: 1_000,
      monotonicMs: () => performance.now(),
      isStopped: () => removed >= REMOVED_IN_ROUND,
    },
  );
  return { longestMs, perSecond: (removed * 1000) / (performance.now() - startedAt) };
}

/** What another partner asks for in turn. */
function asksOf(world: ListWorld): (count: number) => Promise<number> {
  const calls = ['users', 'the status', 'devices of a user'].flatMap(
    (name) => LISTS[name]?.(world.other) ?? [],
  );
  return (count) => {
    const call = calls[count % calls.length];
    if (call === undefined) throw new Error('There is nothing to ask for.');
    return world.ask(world.other, call);
  };
}

async function measureRetention(world: ListWorld): Promise<Samples> {
  const ask = asksOf(world);
  const aloneUntil = performance.now() + ALONE_MS;
  const alone = await askSteadily(REQUESTS_PER_SECOND, ask, () => performance.now() > aloneUntil);
  let isRemoved = false;
  const beside = askSteadily(REQUESTS_PER_SECOND, ask, () => isRemoved);
  const { longestMs, perSecond } = await removeItems(world).finally(() => (isRemoved = true));
  return {
    [REMOVED]: { measured: perSecond },
    [LONGEST]: { measured: longestMs },
    [OTHERS]: { measured: await beside, limit: alone },
  };
}

export const LIST_GROUPS: readonly Group[] = [
  {
    name: 'lists',
    file: FILE,
    rows: Object.keys(LISTS).map((name) => ({ name, ...inMs, goals: { toLimit: 1.5 } })),
    rounds: 5,
    about: 'first pages of 1,000,000 rows, and the same of 1,000 in a database of their own, by turns',
    measure: async function* () {
      const few = await createListWorld(FEW);
      try {
        const many = await createListWorld(MANY);
        try {
          await askAll(few, many);
          yield {};
          for (;;) yield await askAll(few, many);
        } finally {
          await many.remove();
        }
      } finally {
        await few.remove();
      }
    },
  },
  {
    name: 'lists/retention',
    file: FILE,
    rows: [
      { name: REMOVED, unit: '/s', better: 'more', goals: {} },
      { name: LONGEST, ...inMs, goals: { measured: 50 } },
      { name: OTHERS, ...inMs, goals: { toLimit: 1.5 } },
    ],
    rounds: RETENTION_ROUNDS,
    about: 'a million items that ended long ago are removed while another partner asks 100 times a second',
    measure: async function* () {
      const world = await createListWorld(MANY);
      try {
        yield {};
        for (;;) yield await measureRetention(world);
      } finally {
        await world.remove();
      }
    },
  },
];
