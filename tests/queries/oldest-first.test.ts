// A removal has so much time in a round: what ended first goes first, so that nobody's rows stay behind new ones of another partner.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../src/queries/connection/database.ts';
import { deleteForgettableRequests } from '../../src/queries/fleets/fleet-requests.ts';
import { deleteOutagesEndedBefore } from '../../src/queries/fleets/shared-outages.ts';
import { deleteDismissalsOfBroadcastsEndedBefore } from '../../src/queries/notifications/item-retention.ts';
import { addOrganization } from '../oauth/fixture.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const NOW = new Date('2026-06-01T00:00:00Z');
const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000);

interface Kind {
  /** Adds something of an organization that ended at the instant. */
  readonly add: (db: Db, orgId: string, endedAt: Date) => Promise<unknown>;
  readonly remove: (db: Db, now: Date, limit: number) => Promise<number>;
  readonly table: 'fleet_requests' | 'shared_outages' | 'broadcast_dismissals';
}

const KINDS: Readonly<Record<string, Kind>> = {
  'requests to the simulator': {
    add: (db, orgId, endedAt) =>
      sql`insert into fleet_requests (org_id, operation, request_id, fleet_id, body_hash, response, created_at, forget_at)
        values (${orgId}, 'event', gen_random_uuid(), gen_random_uuid(), '', '{}', ${endedAt}, ${endedAt})`.execute(
        db,
      ),
    remove: deleteForgettableRequests,
    table: 'fleet_requests',
  },
  outages: {
    add: (db, orgId, endedAt) =>
      sql`insert into shared_outages (org_id, id, cause, manufacturer, starts_at, ends_at, is_applied)
        values (${orgId}, gen_random_uuid(), 'manufacturer_cloud', 'M', ${endedAt}, ${endedAt}, true)`.execute(
        db,
      ),
    remove: deleteOutagesEndedBefore,
    table: 'shared_outages',
  },
  'dismissals of broadcasts': {
    add: async (db, orgId, endedAt) => {
      const id = randomUUID();
      await sql`insert into notification_items (org_id, id, kind, message, occurred_at)
        values (${orgId}, ${id}, 'information', 'To all.', ${endedAt})`.execute(db);
      await sql`insert into broadcast_dismissals (org_id, item_id, user_id, dismissed_at)
        values (${orgId}, ${id}, gen_random_uuid(), ${endedAt})`.execute(db);
    },
    remove: deleteDismissalsOfBroadcastsEndedBefore,
    table: 'broadcast_dismissals',
  },
};

test.each(Object.entries(KINDS))('of %s the oldest go first, whosever they are', async (_name, kind) => {
  const { db } = database;
  const orgIds: string[] = [];
  // The newest was written first.
  for (const hours of [1, 2, 3]) {
    const orgId = await addOrganization(db);
    await kind.add(db, orgId, hoursAgo(hours));
    orgIds.push(orgId);
  }
  const left = async () =>
    (await sql<{ org_id: string }>`select org_id from ${sql.table(kind.table)}`.execute(db)).rows
      .map(({ org_id }) => orgIds.indexOf(org_id))
      .sort();
  expect(await kind.remove(db, NOW, 1)).toBe(1);
  expect(await left()).toEqual([0, 1]);
  await kind.remove(db, NOW, 1);
  expect(await left()).toEqual([0]);
});
