// In which order messages are told, and whose open transactions they wait for.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { ControlledTransaction } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../generated/database.ts';
import {
  listAnnouncedMessages,
  readStreamEndCursor,
  reannounceMessage,
} from '../../../src/queries/notifications/events.ts';
import type { AnnouncedPage, StreamCursor } from '../../../src/queries/notifications/events.ts';
import {
  addOrganization,
  announceMessages,
  letClockGoOn,
  writeMessage,
} from '../../support/announced-messages.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

type Open = ControlledTransaction<Database>;

let database: TestDatabase;
const opened: Open[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const tx of opened.splice(0)) if (!tx.isCommitted && !tx.isRolledBack) await tx.rollback().execute();
});
afterAll(() => database.close());

async function begin(): Promise<Open> {
  const tx = await database.db.startTransaction().execute();
  opened.push(tx);
  return tx;
}

/** Reads behind what it has read, as a stream does. */
class Reader {
  readonly ids: string[] = [];
  readonly #orgId: string;
  #cursor: StreamCursor;

  constructor(orgId: string, cursor: StreamCursor) {
    this.#orgId = orgId;
    this.#cursor = cursor;
  }

  /** Whether there is more. */
  async read(): Promise<AnnouncedPage['more']> {
    const { messages, more } = await listAnnouncedMessages(database.db, this.#orgId, this.#cursor, 100);
    this.ids.push(...messages.map(({ id }) => id));
    this.#cursor = messages.at(-1) ?? this.#cursor;
    return more;
  }

  /** Everything, of which nothing is held back. */
  async readAll(): Promise<void> {
    await letClockGoOn(database.db);
    expect(await this.read()).toBe('no');
  }
}

const readerOf = async (orgId: string): Promise<Reader> =>
  new Reader(orgId, await readStreamEndCursor(database.db));

test('an organization waits for no transaction that announces nothing of it', async () => {
  const [orgId, otherId] = [await addOrganization(database.db), await addOrganization(database.db)];
  const reader = await readerOf(orgId);
  const [other, writing] = [await begin(), await begin()];
  await writeMessage(other, otherId, randomUUID());
  await sql`update organizations set name = 'Written' where id = ${otherId}`.execute(writing);
  const ids = await announceMessages(database.db, orgId, 2);
  await reader.readAll();
  expect(reader.ids).toEqual(ids);
  const othersReader = new Reader(otherId, { at: new Date(0), id: randomUUID() });
  expect(await othersReader.read()).toBe('no');
  await other.commit().execute();
  await othersReader.readAll();
  expect(othersReader.ids).toHaveLength(1);
});

test.each(['announces', 'announces again'])(
  'what was announced behind a transaction that %s is told after it',
  async (how) => {
    const orgId = await addOrganization(database.db);
    const [again = ''] = await announceMessages(database.db, orgId);
    // Else the reader, who begins now, may read it once more.
    await letClockGoOn(database.db);
    const reader = await readerOf(orgId);
    const first = await begin();
    const id = how === 'announces' ? randomUUID() : again;
    await (how === 'announces' ? writeMessage(first, orgId, id) : reannounceMessage(first, orgId, id));
    const later = await announceMessages(database.db, orgId);
    await letClockGoOn(database.db);
    expect([await reader.read(), reader.ids]).toEqual(['soon', []]);
    await first.commit().execute();
    await reader.readAll();
    expect(reader.ids).toEqual([id, ...later]);
  },
);

const step = fc.oneof(
  fc.record({ does: fc.constant('announce' as const), transaction: fc.nat(3) }),
  fc.record({ does: fc.constant('commit' as const), transaction: fc.nat(3) }),
  fc.record({ does: fc.constant('roll back' as const), transaction: fc.nat(3) }),
  fc.record({ does: fc.constant('read' as const), transaction: fc.nat(3) }),
);

test('however transactions are interleaved, each message is told once, and in the order of announcement', async () => {
  const orgIds = [await addOrganization(database.db), await addOrganization(database.db)] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const start = await readStreamEndCursor(database.db);
      const readers = orgIds.map((orgId) => new Reader(orgId, start));
      const open = new Map<number, Open>();
      for (const { does, transaction } of steps) {
        const [orgId, tx] = [orgIds[transaction % 2] ?? '', open.get(transaction)];
        if (does === 'read') await readers[transaction % 2]?.read();
        else if (does === 'announce') {
          const writer = tx ?? (await begin());
          open.set(transaction, writer);
          await writeMessage(writer, orgId, randomUUID());
        } else if (tx !== undefined) {
          await (does === 'commit' ? tx.commit() : tx.rollback()).execute();
          open.delete(transaction);
        }
      }
      for (const tx of open.values()) await tx.commit().execute();
      for (const [index, reader] of readers.entries()) {
        await reader.readAll();
        expect(reader.ids).toEqual(await listIds(orgIds[index] ?? '', start.at));
      }
    }),
    { numRuns: 20 },
  );
}, 30_000);

async function listIds(orgId: string, from: Date): Promise<string[]> {
  const rows = await database.db
    .selectFrom('messages')
    .select('id')
    .where('org_id', '=', orgId)
    .where('announced_at', '>=', from)
    .orderBy('announced_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
