import { randomUUID } from 'node:crypto';
import { encodeEnvelope } from '../../src/domain/notifications/envelope.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import type { Db, Tx } from '../../src/queries/connection/database.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import { readStreamEndCursor } from '../../src/queries/notifications/events.ts';
import { until } from '../process/partner.ts';

const AT = new Date('2026-06-15T12:00:00.000Z');

/** A partner organization without anything; its id. */
export async function addOrganization(db: Db): Promise<string> {
  const id = randomUUID();
  await insertOrganization(db, { id, name: 'Heard', kind: 'partner', parentOrgId: null, createdAt: AT });
  return id;
}

/** Writes one message of an organization, which is announced with the transaction's commit. */
export async function writeMessage(tx: Tx, orgId: string, id: string, notice = 'Hello'): Promise<void> {
  const device = { device_id: randomUUID(), device_type: 'heat_pump', owner_id: randomUUID() } as const;
  const content = { type: 'device.information', data: { ...device, notice } } as const;
  const payload = encodeEnvelope(id, content, AT);
  const message = { org_id: orgId, id, message_type: content.type, occurred_at: AT, payload };
  await insertMessageWithDeliveries(tx, message, AT);
}

/** Writes messages of an organization in one transaction, which announces them; their ids in the order of the streams. */
export async function announceMessages(
  db: Db,
  orgId: string,
  count = 1,
  notice = 'Hello',
): Promise<string[]> {
  const ids: readonly string[] = Array.from({ length: count }, () => randomUUID());
  await db.transaction().execute(async (tx) => {
    for (const id of ids) await writeMessage(tx, orgId, id, notice);
  });
  const all = await listAnnounced(db, orgId);
  return all.filter((id) => ids.includes(id));
}

/** The ids of all messages of an organization in the order of the streams: those of one millisecond by their ids. */
export async function listAnnounced(db: Db, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select('id')
    .where('org_id', '=', orgId)
    .orderBy('announced_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * The clock of the database goes on by some milliseconds: what was announced before is not held back for being new, nor told to
 * who listens from then on.
 */
export async function letClockGoOn(db: Db): Promise<void> {
  const from = (await readStreamEndCursor(db)).at.getTime();
  await until(
    async () => (await readStreamEndCursor(db)).at.getTime() - from,
    (ms) => ms > 3,
  );
}
