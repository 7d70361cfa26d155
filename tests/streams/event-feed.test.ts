import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { setImmediate as turn } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import type { Db } from '../../src/queries/connection/database.ts';
import { readStreamEndCursor } from '../../src/queries/notifications/events.ts';
import type { StreamCursor } from '../../src/queries/notifications/events.ts';
import { EventFeed } from '../../src/streams/event-feed.ts';
import type { EventFeedOptions } from '../../src/streams/event-feed.ts';
import {
  addOrganization,
  announceMessages,
  letClockGoOn,
  listAnnounced,
} from '../support/announced-messages.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let queries = 0;
let failures = 0;
/** The database, every query to which is counted; the next `failures` of them fail. */
let db: Db;
const feeds: EventFeed[] = [];
const gone: AbortController[] = [];
beforeAll(async () => {
  database = await testDatabase();
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries += 1;
      if (failures > 0) {
        failures -= 1;
        throw new Error('The database is away.');
      }
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  db = database.db.withPlugin(counter);
});
beforeEach(() => {
  queries = 0;
  failures = 0;
});
afterEach(async () => {
  for (const controller of gone.splice(0)) controller.abort();
  for (const feed of feeds.splice(0)) await feed.stop();
});
afterAll(() => database.close());

function open(options: Partial<EventFeedOptions> = {}): EventFeed {
  const feed = new EventFeed({ db, onError: () => undefined, ...options });
  feeds.push(feed);
  return feed;
}

interface Listener {
  readonly ids: string[];
  /** How often the feed has cut its connection. */
  readonly cuts: () => number;
  readonly ended: Promise<void>;
  readonly leave: () => void;
  /** Takes nothing more while it is true. */
  isDeaf: boolean;
}

/** Listens from now on, or replays from behind `start`. */
async function listen(
  feed: EventFeed,
  orgId: string,
  start?: StreamCursor,
  replays = start !== undefined,
  partnerId = orgId,
): Promise<Listener> {
  const controller = new AbortController();
  gone.push(controller);
  let cuts = 0;
  const cut = (): void => {
    cuts += 1;
    controller.abort();
  };
  const from = start ?? (await readStreamEndCursor(database.db));
  const request = { partnerId, orgId, start: from, replays };
  const listener: Omit<Listener, 'ended'> & { ended?: Promise<void> } = {
    ids: [],
    cuts: () => cuts,
    leave: () => controller.abort(),
    isDeaf: false,
  };
  listener.ended = (async () => {
    for await (const { id } of feed.listen(request, controller.signal, cut)) {
      listener.ids.push(id);
      while (listener.isDeaf && !controller.signal.aborted) await turn();
    }
  })();
  return listener as Listener;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

const BEGIN: StreamCursor = { at: new Date(0), id: '00000000-0000-0000-0000-000000000000' };

test('an organization is read once for all its streams', async () => {
  const feed = open();
  const orgId = await addOrganization(database.db);
  const listeners = await Promise.all(Array.from({ length: 30 }, () => listen(feed, orgId)));
  const first = await announceMessages(database.db, orgId);
  feed.announceNews([orgId]);
  await until(() => listeners.every(({ ids }) => ids.length === 1));
  queries = 0;
  const more = await announceMessages(database.db, orgId, 250);
  feed.announceNews([orgId]);
  await until(() => listeners.every(({ ids }) => ids.length === 251));
  for (const { ids } of listeners) expect(ids).toEqual([...first, ...more]);
  // Three pages of two statements, and once more where a transaction of another test file was under way.
  expect(queries).toBeLessThan(30);
});

test('a thousand streams of quiet organizations cost no query when another has news, and one to look for news', async () => {
  const feed = open();
  const orgId = await addOrganization(database.db);
  const now = await readStreamEndCursor(database.db);
  const quiet = await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) =>
      listen(feed, `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, now, false),
    ),
  );
  const loud = await listen(feed, orgId);
  const ids = await announceMessages(database.db, orgId);
  feed.announceNews([orgId]);
  await until(() => loud.ids.length === 1);
  expect(queries).toBeLessThan(20);
  ids.push(...(await announceMessages(database.db, orgId)));
  queries = 0;
  feed.announceNews();
  await until(() => loud.ids.length === 2);
  expect(queries).toBeLessThan(20);
  expect(loud.ids).toEqual(ids);
  expect(quiet.every((listener) => listener.ids.length === 0)).toBe(true);
});

test('news of one organization do not wait for all that another one has', async () => {
  const feed = open();
  const [many, few] = [await addOrganization(database.db), await addOrganization(database.db)];
  const [listenerOfMany, listenerOfFew] = [await listen(feed, many), await listen(feed, few)];
  await announceMessages(database.db, many, 1_500);
  await announceMessages(database.db, few);
  await letClockGoOn(database.db);
  feed.announceNews([many]);
  await until(() => listenerOfMany.ids.length >= 100);
  feed.announceNews([few]);
  await until(() => listenerOfFew.ids.length === 1);
  expect(listenerOfMany.ids.length).toBeLessThan(1_400);
  await until(() => listenerOfMany.ids.length === 1_500);
});

test.each([
  ['messages', { messages: 10, characters: 1_000_000 }],
  ['characters', { messages: 1_000, characters: 4_000 }],
])('a stream that leaves too many %s is ended, and misses nothing when it comes again', async (_, limits) => {
  const feed = open({ bufferLimits: limits });
  const orgId = await addOrganization(database.db);
  const [reader, deaf] = [await listen(feed, orgId), await listen(feed, orgId)];
  deaf.isDeaf = true;
  const sent: string[] = [];
  while (deaf.cuts() === 0) {
    sent.push(...(await announceMessages(database.db, orgId, 2)));
    feed.announceNews([orgId]);
    await until(() => reader.ids.length === sent.length);
    expect(sent.length).toBeLessThan(100);
  }
  await deaf.ended;
  expect([deaf.cuts(), deaf.ids]).toEqual([1, sent.slice(0, 1)]);
  expect([reader.cuts(), reader.ids]).toEqual([0, sent]);
  const { announced_at: at, id } = await database.db
    .selectFrom('messages')
    .select(['announced_at', 'id'])
    .where('id', '=', sent[0] ?? '')
    .executeTakeFirstOrThrow();
  const again = await listen(feed, orgId, { at, id });
  await until(() => again.ids.length === sent.length - 1);
  expect(again.ids).toEqual(sent.slice(1));
});

test('one long message is given, whatever its length', async () => {
  const feed = open({ bufferLimits: { messages: 1, characters: 1 } });
  const orgId = await addOrganization(database.db);
  const listener = await listen(feed, orgId);
  const ids = await announceMessages(database.db, orgId, 1, 'x'.repeat(1_000));
  feed.announceNews([orgId]);
  await until(() => listener.ids.length === 1);
  expect(listener.ids).toEqual(ids);
});

test('a stream that begins in the past joins the others without a gap or a repetition', async () => {
  const feed = open();
  const orgId = await addOrganization(database.db);
  const before = await announceMessages(database.db, orgId, 220);
  await letClockGoOn(database.db);
  const live = await listen(feed, orgId);
  const replays = await Promise.all([1, 2, 3].map(() => listen(feed, orgId, BEGIN)));
  for (let count = 0; count < 20; count += 1) {
    await announceMessages(database.db, orgId, 3);
    feed.announceNews([orgId]);
  }
  await until(() => live.ids.length === 60 && replays.every(({ ids }) => ids.length === 280));
  const all = await listAnnounced(database.db, orgId);
  expect(live.ids).toEqual(all.slice(before.length));
  for (const { ids } of replays) expect(ids).toEqual(all);
});

test('streams that begin in the past take turns by partner', async () => {
  const feed = open();
  const [crowded, other] = [await addOrganization(database.db), await addOrganization(database.db)];
  await announceMessages(database.db, crowded);
  await announceMessages(database.db, other);
  const many = await Promise.all(Array.from({ length: 30 }, () => listen(feed, crowded, BEGIN)));
  const one = await listen(feed, other, BEGIN);
  await until(() => one.ids.length === 1);
  // Behind one page of the partner with thirty, or two where the first was under way already.
  expect(many.filter(({ ids }) => ids.length > 0).length).toBeLessThan(4);
  await until(() => many.every(({ ids }) => ids.length === 1));
});

test('a stop ends streams that wait for their turn to read the past', async () => {
  const feed = open();
  const orgId = await addOrganization(database.db);
  await announceMessages(database.db, orgId);
  const waiting = await Promise.all(Array.from({ length: 5 }, () => listen(feed, orgId, BEGIN)));
  await feed.stop();
  await Promise.all(waiting.map(({ ended }) => ended));
  expect(waiting.flatMap(({ ids }) => ids).length).toBeLessThan(5);
});

test('a read that fails is told, and tried again', async () => {
  const errors: unknown[] = [];
  const feed = open({ onError: (error) => errors.push(error) });
  const [orgId, other] = [await addOrganization(database.db), await addOrganization(database.db)];
  const listeners = [await listen(feed, orgId), await listen(feed, other)];
  await until(() => queries > 0);
  const ids = [await announceMessages(database.db, orgId), await announceMessages(database.db, other)];
  failures = 1;
  feed.announceNews([orgId, other]);
  await until(() => listeners.every((listener) => listener.ids.length === 1));
  expect(listeners.map((listener) => listener.ids)).toEqual(ids);
  expect(errors).toEqual([new Error('The database is away.')]);
});

test('places are counted by partner and for the process', () => {
  const feed = open({ maxStreams: 3 });
  const leave = feed.reserveStream('a', 2);
  expect(feed.reserveStream('a', 2)).toBeInstanceOf(Function);
  expect([feed.reserveStream('a', 2), feed.isFull]).toEqual([undefined, false]);
  expect(feed.reserveStream('b', 2)).toBeInstanceOf(Function);
  expect([feed.reserveStream('c', 2), feed.isFull]).toEqual([undefined, true]);
  leave?.();
  expect(feed.reserveStream('c', 2)).toBeInstanceOf(Function);
});

test('a stop ends every stream, and a client that leaves its own', async () => {
  const feed = open();
  const orgId = await addOrganization(database.db);
  const [stays, leaves] = [await listen(feed, orgId), await listen(feed, orgId)];
  leaves.leave();
  await leaves.ended;
  await feed.stop();
  await stays.ended;
  const late = await listen(feed, orgId, BEGIN);
  await late.ended;
  expect([feed.stopSignal.aborted, late.ids]).toEqual([true, []]);
});
