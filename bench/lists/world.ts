// A service on a database in which an organization has so many rows of everything that is listed, and another one few.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'undici';
import { foundCompany } from '../../tests/support/api.ts';
import { urlOfCall } from '../../tests/support/api-client.ts';
import { addFleet } from '../../tests/support/fleet-records.ts';
import { findListed } from '../../tests/support/list-calls.ts';
import type { ListCall, ListedOrganization } from '../../tests/support/list-calls.ts';
import { fillOrganization } from '../../tests/support/many-rows.ts';
import type { FilledOrganization } from '../../tests/support/many-rows.ts';
import { startService } from '../../tests/support/service.ts';
import { startDatabase } from '../database.ts';
import type { BenchDatabase } from '../database.ts';

/** So many rows has the partner beside it, whose requests are not measured here. */
const FEW = 100;

export interface Partner extends ListedOrganization {
  readonly token: string;
}

export interface ListWorld {
  readonly database: BenchDatabase;
  readonly own: Partner;
  readonly other: Partner;
  /** Milliseconds until the first bytes of the answer's body; throws unless it is 200. */
  ask(partner: Partner, call: ListCall): Promise<number>;
  remove(): Promise<void>;
}

/** Fills a database, which takes some 20 s for 100,000 rows, and starts a service on it that answers and does nothing else. */
export async function createListWorld(rows: number): Promise<ListWorld> {
  const database = await startDatabase();
  const ends: (() => Promise<unknown>)[] = [() => database.remove()];
  const remove = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const other = await addPartner(database, FEW);
    const own = await addPartner(database, rows);
    await database.pool.query('vacuum analyze');
    const service = await startService({
      args: ['--role', 'api'],
      env: {
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: randomBytes(32).toString('base64'),
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'error',
      },
    });
    const agent = new Agent();
    ends.push(
      () => service.remove(),
      () => agent.close(),
    );
    return {
      database,
      own,
      other,
      remove,
      ask: (partner, call) => ask(agent, service.baseUrl, partner, call),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function addPartner({ db, pool }: BenchDatabase, rows: number): Promise<Partner> {
  const now = new Date();
  const { orgId, admin, staff, user } = await foundCompany(db, now, 'Partner');
  const fleet = await addFleet(db, orgId, now, 'stopped');
  const filled: FilledOrganization = {
    orgId,
    adminId: admin.id,
    fleetId: fleet.fleetId,
    simulationOrgId: fleet.orgId,
    webhookId: randomUUID(),
    rows,
  };
  await fillOrganization(pool, filled);
  const tokens = { token: admin.token, staffToken: staff.token, userToken: user.token };
  return { ...filled, ...(await findListed(pool, filled)), ...tokens };
}

async function ask(dispatcher: Agent, baseUrl: string, partner: Partner, call: ListCall): Promise<number> {
  const { operation, token = partner.token } = call;
  const startedAt = performance.now();
  const { statusCode, body } = await request(baseUrl + urlOfCall(operation, call, partner.orgId), {
    dispatcher,
    headers: { authorization: `Bearer ${token ?? ''}` },
  });
  await once(body, 'readable');
  const firstBytesAfter = performance.now() - startedAt;
  await body.dump();
  if (statusCode !== 200) throw new Error(`${operation} was answered ${statusCode}.`);
  return firstBytesAfter;
}
