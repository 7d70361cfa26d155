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
/** On each of the two workers. */
const ORGANIZATIONS = 2;
const MOST_TRIES = 100;
const NODES = 2;
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
    // Before the read: what is committed while it is under way it does not see.
    const isAll = isWritten();
    const { messages, more } = await listAnnouncedMessages(db, orgId, cursor, PAGE);
    ids.push(...messages.map(({ id }) => id));
    const last = messages.at(-1);
    if (last !== undefined) {
      cursor = (await findStreamCursor(db, orgId, last.id)) ?? cursor;
      quietSinceMs = performance.now();
    }
    if (more === 'no' && isAll) return ids;
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

/** As many on each node. */
async function addOrganizations(db: Db, cluster: CitusCluster): Promise<string[]> {
  const onNodes = new Map<number, string[]>();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const orgId = await addOrganization(db);
    const { port } = await cluster.findServer(orgId);
    onNodes.set(port, [...(onNodes.get(port) ?? []), orgId]);
    const chosen = [...onNodes.values()].map((orgIds) => orgIds.slice(0, ORGANIZATIONS));
    if (chosen.flat().length === NODES * ORGANIZATIONS) return chosen.flat();
  }
  throw new Error('All organizations come to one node.');
}

/** How long before the last event of its organization each was announced: those that were read too early end it. */
async function describeMissed(cluster: CitusCluster, ids: readonly string[]): Promise<string> {
  const rows = await cluster.ask<{ before: number }>(
    `select (extract(epoch from l.at - m.announced_at) * 1000)::float8 as before from messages m
     join (select org_id, max(announced_at) as at from messages group by org_id) l on l.org_id = m.org_id
     where m.id = any($1::uuid[]) order by 1`,
    [ids.slice(0, 20)],
  );
  return `Missed: ${rows.map(({ before }) => `${before} ms`).join(', ')} before the last event.`;
}

export async function checkEventOrder(cluster: CitusCluster, events: number): Promise<EventOrder> {
  const { db, close } = openDatabase({
    connection: cluster.databaseUrl,
    max: WRITERS + NODES * ORGANIZATIONS,
  });
  try {
    const orgIds = await addOrganizations(db, cluster);
    let isWritten = false;
    const reading = Promise.all(orgIds.map((orgId) => readAll(db, orgId, () => isWritten)));
    const writing = Promise.all(Array.from({ length: WRITERS }, () => write(db, orgIds, events / WRITERS)));
    const written = (await writing).flatMap((each) => [...each.keys()]);
    isWritten = true;
    const read = (await reading).flat();
    const seen = new Set(read);
    const missed = written.filter((id) => !seen.has(id));
    if (missed.length > 0) console.error(await describeMissed(cluster, missed));
    return {
      written: written.length,
      missed: missed.length,
      repeated: read.length - seen.size,
      nodes: new Set(await Promise.all(orgIds.map((orgId) => cluster.findServer(orgId)))).size,
    };
  } finally {
    await close();
  }
}
