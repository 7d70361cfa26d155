import type { Registry } from 'prom-client';
import type { ComputePool } from '../compute/pool.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log/log.ts';
import type { PasswordHasher } from '../domain/security/passwords.ts';
import type { EventStreams } from '../streams/announcements.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { DeliveryMetrics } from '../webhooks/metrics.ts';
import type { Storage } from './database.ts';

/** What the parts of one process share, its event streams and open pages among it. */
export interface ProcessContext extends Omit<EventStreams, 'stop'> {
  readonly settings: Settings;
  readonly storage: Storage;
  readonly log: Log;
  readonly registry: Registry;
  readonly baseUrl: string;
  readonly webhookClient: WebhookClient;
  readonly deliveryMetrics: DeliveryMetrics;
  /** The threads of this process. */
  readonly compute: ComputePool;
  /** Hashes passwords on threads of their own. */
  readonly passwordHasher: PasswordHasher;
  readonly clock: () => Date;
  /** The process has been told to stop, and serves on until proxies have noticed. */
  readonly isLeaving: () => boolean;
}
