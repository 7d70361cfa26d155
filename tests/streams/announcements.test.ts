import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEventStreams } from '../../src/streams/announcements.ts';
import type { EventStreams } from '../../src/streams/announcements.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

const ignoreError = (): void => undefined;
let database: TestDatabase;
let api: EventStreams;
let worker: EventStreams;
beforeAll(async () => {
  database = await testDatabase();
  const storage = { db: database.db, config: database.connection };
  api = await startEventStreams(storage, true, ignoreError);
  worker = await startEventStreams(storage, false, ignoreError);
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await database.close();
});

const never = new AbortController().signal;
/** Longer than the test may take: only news ends the wait. */
const LONG_MS = 600_000;

test('what a worker announces wakes the streams of another process, again and again', async () => {
  for (let i = 0; i < 3; i += 1) {
    const news = api.events.waitForNews(api.events.newsCount, LONG_MS, never);
    worker.announce();
    await news;
  }
});

test('news that came while nobody waited are not lost, and a wait ends when its listener goes', async () => {
  const { newsCount } = worker.events;
  worker.announce();
  await worker.events.waitForNews(newsCount, LONG_MS, never);
  const gone = new AbortController();
  const wait = worker.events.waitForNews(worker.events.newsCount, LONG_MS, gone.signal);
  gone.abort();
  await wait;
  await worker.events.waitForNews(worker.events.newsCount, LONG_MS, gone.signal);
});

test('a rest is not cut short by news, only by a listener that goes', async () => {
  const startedAt = performance.now();
  const rest = worker.events.pause(50, never);
  worker.events.announceNews();
  await rest;
  // Timers count whole milliseconds.
  expect(performance.now() - startedAt).toBeGreaterThan(48);
  const gone = new AbortController();
  const long = worker.events.pause(LONG_MS, gone.signal);
  gone.abort();
  await long;
  await worker.events.pause(LONG_MS, gone.signal);
});

test('a stop ends every wait', async () => {
  const storage = { db: database.db, config: database.connection };
  const streams = await startEventStreams(storage, true, ignoreError);
  const wait = streams.events.waitForNews(streams.events.newsCount, LONG_MS, never);
  const rest = streams.events.pause(LONG_MS, never);
  await streams.stop();
  await wait;
  await rest;
  expect(streams.events.stopSignal.aborted).toBe(true);
  await streams.events.waitForNews(streams.events.newsCount, LONG_MS, never);
});
