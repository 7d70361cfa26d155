import type { Db } from '../connection/database.ts';

export interface NewBroadcast {
  readonly org_id: string;
  readonly id: string;
  readonly message: string;
  /** The one user it is for; null for everybody. */
  readonly owner_id: string | null;
}

/** Inserts an information item without device and condition. */
export async function insertBroadcast(db: Db, broadcast: NewBroadcast, now: Date): Promise<void> {
  await db
    .insertInto('notification_items')
    .values({ ...broadcast, kind: 'information', occurred_at: now })
    .execute();
}
