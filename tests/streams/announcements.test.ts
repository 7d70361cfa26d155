import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStreamEndCursor } from '../../src/queries/notifications/events.ts';
import { formatAnnouncement, parseAnnouncement, startEventStreams } from '../../src/streams/announcements.ts';
import type { EventStreams } from '../../src/streams/announcements.ts';
import { addOrganization, announceMessages } from '../support/announced-messages.ts';
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

test.each([
  ['by name', 1],
  ['all, where there are too many to name', 201],
])(
  'what a worker announces wakes the streams of another process, again and again: %s',
  async (_, organizations) => {
    const orgId = await addOrganization(database.db);
    const others = Array.from({ length: organizations - 1 }, () => randomUUID());
    const gone = new AbortController();
    const start = await readStreamEndCursor(database.db);
    const events = api.events.listen(
      { partnerId: orgId, orgId, start, replays: false },
      gone.signal,
      ignoreError,
    );
    for (let count = 0; count < 3; count += 1) {
      const next = events.next();
      const ids = await announceMessages(database.db, orgId);
      worker.announce([...others, orgId]);
      expect((await next).value).toMatchObject({ id: ids[0] });
    }
    gone.abort();
    expect((await events.next()).done).toBe(true);
  },
);

test.each(['of the same process', 'of another process'])(
  'a change is told to the pages %s that show the organization, and to no others',
  async (place) => {
    const [orgId, parentId, other] = [randomUUID(), randomUUID(), randomUUID()];
    const heard: string[] = [];
    const listener = place === 'of the same process' ? worker : api;
    const stopOther = listener.changes.listen([other], () => heard.push('other'));
    for (const changed of [orgId, parentId]) {
      await new Promise<void>((resolve) => {
        const stop = listener.changes.listen([orgId, parentId], () => {
          heard.push(changed);
          stop();
          resolve();
        });
        worker.announceChange([changed, changed]);
      });
    }
    expect(heard).toEqual([orgId, parentId]);
    stopOther();
  },
);

test('an announcement fits into a notification, however many organizations have news', () => {
  for (const [count, named] of [
    [1, true],
    [200, true],
    [201, false],
    [5_000, false],
  ] as const) {
    const orgIds = Array.from({ length: count }, () => randomUUID());
    const payload = formatAnnouncement(randomUUID(), orgIds, 'messages');
    expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    expect(parseAnnouncement(payload).orgIds).toEqual(named ? orgIds : undefined);
  }
  expect(parseAnnouncement(undefined)).toEqual({ from: '', orgIds: undefined, what: undefined });
  const orgIds = [randomUUID()];
  expect(parseAnnouncement(formatAnnouncement('me', orgIds, 'changes'))).toEqual({
    from: 'me',
    orgIds,
    what: 'changes',
  });
  // As services sent it that told of messages alone.
  expect(parseAnnouncement(`me ${orgIds.join(',')}`)).toEqual({ from: 'me', orgIds, what: 'messages' });
});
