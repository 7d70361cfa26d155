import type { Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log/log.ts';
import type { Exchange } from '../webhooks/exchange.ts';
import type { DeliveryMetrics } from '../webhooks/metrics.ts';
import type { Storage } from './database.ts';

/** What the parts of one process share. */
export interface Parts {
  readonly settings: Settings;
  readonly storage: Storage;
  readonly log: Log;
  readonly registry: Registry;
  readonly baseUrl: string;
  readonly exchange: Exchange;
  readonly deliveryMetrics: DeliveryMetrics;
  readonly clock: () => Date;
}
