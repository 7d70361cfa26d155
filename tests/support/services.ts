import { ComputePool } from '../../src/compute/pool.ts';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { createKeyring } from '../../src/domain/security/encryption.ts';
import { deriveLinkKey } from '../../src/domain/security/signed-links.ts';
import { yieldToEventLoop } from '../../src/households/time-slicer.ts';
import type { Services } from '../../src/operations/context.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { ChangeFeed } from '../../src/streams/change-feed.ts';
import { EventFeed } from '../../src/streams/event-feed.ts';

/** What operations are given in a process without workers: nothing is delivered, no fleet is built. */
export function startServices(
  db: Db,
  baseUrl: string,
  key: Buffer,
): { readonly services: Services; readonly stop: () => Promise<void> } {
  // On a busy machine a thread starts slowly, and niced ones run slowly: the bounds are tried in tests/compute.
  const compute = new ComputePool({ threads: 1, waitMs: 60_000, maxJobMs: 60_000 });
  const events = new EventFeed({ db, onError: () => undefined });
  const changes = new ChangeFeed();
  const services: Services = {
    db,
    baseUrl,
    keyring: createKeyring(key),
    linkKey: deriveLinkKey(key),
    allowedNetworks: [],
    quotas: DEFAULT_QUOTAS,
    simulatorFaults: false,
    testWebhook: () => Promise.resolve({ outcome: 'delivered', status_code: 204, detail: null }),
    invalidateCachedTokensOf: () => {},
    countCancelled: () => {},
    compute,
    yieldToEventLoop,
    events,
    changes,
    announceChange: (orgIds) => changes.announceChange(orgIds),
    wakeDispatcher: (orgIds) => events.announceNews(orgIds),
    wakeFleets: () => {},
  };
  return {
    services,
    stop: async () => {
      await compute.stop();
      await events.stop();
    },
  };
}
