// Writers on several nodes announce events at the same time, and readers go on behind the last event that they have read.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { findStreamCursor, listAnnouncedMessages } from '../../src/queries/notifications/events.ts';
import type { StreamCursor } from '../../src/queries/notifications/events.ts';
import { addOrganization, writeMessage } from '../support/announced-messages.ts';
import type { CitusCluster } from './cluster.ts';

const WRITERS = 8;
const ORGANIZATIONS = 4;
const PAGE = 200;
const PATIENCE_MS = 60_000;

export interface EventOrder {
  readonly written: number;
  readonly missed: number;
  readonly repeated: number;
  readonly nodes: number;
}

/** Reads an organization's events to the end, as a stream that is opened again and again with `Last-Event-ID`. */
async function readAll(db: Db, orgId: string, isWritten: () => boolean): Promise<string[]> {
  const ids: string[] = [];
  let cursor: StreamCursor = { at: new Date(0), id: '00000000-0000-0000-0000-000000000000' };
  let quietSinceMs = performance.now();
  for (;;) {
    const { messages, more } = await listAnnouncedMessages(db, orgId, cursor, PAGE);
    ids.push(...messages.map(({ id }) => id));
    const last = messages.at(-1);
    if (last !== undefined) {
      cursor = (await findStreamCursor(db, orgId, last.id)) ?? cursor;
      quietSinceMs = performance.now();
    }
    if (more === 'no' && isWritten()) return ids;
    if (performance.now() - quietSinceMs > PATIENCE_MS) throw new Error('The stream does not go on.');
    if (more !== 'now') await sleep(20);
  }
}

/** Some transactions last longer than others, so that they commit in another order than they announce. */
async function write(db: Db, orgIds: readonly string[], count: number): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  for (let number = 0; number < count; number += 1) {
    const [orgId = '', id] = [orgIds[number % orgIds.length], randomUUID()];
    await db.transaction().execute(async (tx) => {
      await writeMessage(tx, orgId, id);
      if (number % 50 === 0) await sleep(randomInt(30));
    });
    written.set(id, orgId);
  }
  return written;
}

export async function checkEventOrder(cluster: CitusCluster, events: number): Promise<EventOrder> {
  const { db, close } = openDatabase({ connection: cluster.databaseUrl, max: WRITERS + ORGANIZATIONS });
  try {
    const orgIds: string[] = [];
    for (let number = 0; number < ORGANIZATIONS; number += 1) orgIds.push(await addOrganization(db));
    let isWritten = false;
    const reading = Promise.all(orgIds.map((orgId) => readAll(db, orgId, () => isWritten)));
    const writing = Promise.all(Array.from({ length: WRITERS }, () => write(db, orgIds, events / WRITERS)));
    const written = (await writing).flatMap((each) => [...each.keys()]);
    isWritten = true;
    const read = (await reading).flat();
    const nodes = await cluster.ask(
      `select distinct nodeport from citus_shards s join unnest($1::uuid[]) org on s.table_name = 'users'::regclass
         and s.shardid = get_shard_id_for_distribution_column('users', org)`,
      [orgIds],
    );
    const seen = new Set(read);
    return {
      written: written.length,
      missed: written.filter((id) => !seen.has(id)).length,
      repeated: read.length - seen.size,
      nodes: nodes.length,
    };
  } finally {
    await close();
  }
}
