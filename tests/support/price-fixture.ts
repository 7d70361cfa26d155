import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { addPerson, startApi } from './api.ts';
import type { Api } from './api.ts';
import type { Answer } from './api-client.ts';

export interface PriceEntry {
  readonly timestamp: string;
  readonly price: number;
  readonly best_bid?: readonly number[];
  readonly best_ask?: readonly number[];
}

/** The API, and for each test an organization whose staff uploads prices and lists them. */
export interface PriceFixture {
  api: Api;
  orgId: string;
  token: string;
  readonly upload: (data: readonly PriceEntry[], timezone_override?: string) => Promise<Answer>;
  readonly list: (from_dt?: string, to_dt?: string) => Promise<Answer>;
  /** Prices of 2026 by their instants. */
  readonly stored: () => Promise<Record<string, number>>;
}

/** Sets the desk before each test, on 2026-06-15 at 12:07:30 UTC. */
export function priceFixture(): PriceFixture {
  const set = {
    upload: (data, timezone_override) => {
      const metadata = timezone_override === undefined ? {} : { metadata: { timezone_override } };
      const { orgId, token } = set;
      const body = { ...metadata, data };
      return set.api.call('uploadDayAheadPrices', { path: { org_id: orgId }, token, body });
    },
    list: (from_dt = '2026-01-01', to_dt = '2026-12-31') => {
      const { orgId, token } = set;
      return set.api.call('listDayAheadPrices', {
        path: { org_id: orgId },
        token,
        query: { from_dt, to_dt },
      });
    },
    stored: async () => {
      const { data } = (await set.list()).body as { data: PriceEntry[] };
      return Object.fromEntries(data.map(({ timestamp, price }) => [timestamp, price]));
    },
  } as PriceFixture;
  beforeAll(async () => {
    set.api = await startApi();
  });
  afterAll(() => set.api.close());
  beforeEach(async () => {
    set.orgId = randomUUID();
    set.api.clock.set('2026-06-15T12:07:30Z');
    const createdAt = set.api.clock.now();
    await insertOrganization(set.api.db, {
      id: set.orgId,
      name: 'Prices',
      kind: 'partner',
      parentOrgId: null,
      createdAt,
    });
    ({ token: set.token } = await addPerson(set.api.db, set.orgId, 'staff', createdAt));
  });
  return set;
}
