import type { ItemKind } from './conditions.ts';
import type { DeviceType } from './envelope.ts';

/** A notification item with what became of it. */
export interface ToldItem {
  readonly id: string;
  readonly kind: ItemKind;
  /** Of a device's condition, or of what a plan has found; null for a broadcast. */
  readonly code: string | null;
  readonly deviceId: string | null;
  readonly deviceType: DeviceType | null;
  /** Null for a broadcast. */
  readonly ownerId: string | null;
  readonly message: string;
  readonly occurredAt: Date;
  /** When somebody put it away; for a broadcast, the reader. */
  readonly dismissedAt: Date | null;
  /** When what it tells of has ended by itself. */
  readonly clearedAt: Date | null;
}
