import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resumePartner, suspendPartner } from '../../src/accounts/suspension.ts';
import { lockOrganization } from '../../src/queries/accounts/organization-locks.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import { claimDeliveries } from '../../src/queries/deliveries/delivery-queue.ts';
import { claimCheckpoints } from '../../src/queries/fleets/checkpoints.ts';
import { claimFleet, lockClaimedFleet } from '../../src/queries/fleets/fleet-work.ts';
import {
  findNextConditionChangeAt,
  listFleetsWithDueChanges,
} from '../../src/queries/fleets/planned-conditions.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { addClient, basic, START } from '../oauth/fixture.ts';
import { until } from '../process/partner.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { addMessage, addWebhook, webhookFixture } from '../support/webhook-fixture.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';

const dayMs = 86_400_000;

describe('the API of a suspended partner', () => {
  const fleets = fleetApi({ faults: true, services: { simulatorFaults: true } });
  afterEach(() => resumePartner(fleets.api.db, fleets.api.own.orgId));

  test('refuses every token, and serves others', async () => {
    const { api } = fleets;
    const call = () => api.call('listFleets', { token: api.own.staff.token });
    // The first answer is remembered for less than a second.
    expect((await call()).status).toBe(200);
    const fleet = await fleets.running({ count: 1 });
    await suspendPartner(api.db, api.own.orgId, api.clock.now());
    const fresh = await api.call('listFleets', { token: api.own.admin.readToken });
    expect([fresh.status, fresh.body.code]).toEqual([403, 'organization_suspended']);
    const foreign = await api.call('listFleets', {
      token: api.foreign.admin.token,
      path: { org_id: api.foreign.orgId },
    });
    expect(foreign.status).toBe(200);
    expect(fleet.status).toBe('running');
  });

  test('lets work on its fleets pause at the next step, and go on', async () => {
    const { api } = fleets;
    const now = api.clock.now();
    const lease = new Date(now.getTime() + 10_000);
    await fleets.create({ count: 1 });
    const claim = await claimFleet(api.db, now, lease);
    if (claim === undefined) throw new Error('There is no work.');
    const isHeld = () =>
      api.db.transaction().execute(async (tx) => (await lockClaimedFleet(tx, claim)) !== undefined);
    expect(await isHeld()).toBe(true);
    await suspendPartner(api.db, api.own.orgId, now);
    expect(await isHeld()).toBe(false);
    const later = new Date(lease.getTime() + dayMs);
    expect(await claimFleet(api.db, later, later)).toBeUndefined();
    await resumePartner(api.db, api.own.orgId);
    // Without waiting for the end of the lease.
    expect(await claimFleet(api.db, now, lease)).toMatchObject({ id: claim.id });
  });

  test('lets planned conditions and checkpoints wait, also behind those of others', async () => {
    const { api } = fleets;
    const { simulation_org_id: orgId } = await fleets.running({ count: 20 });
    const farAhead = new Date(api.clock.now().getTime() + 300 * dayMs);
    const due = async () => (await listFleetsWithDueChanges(api.db, farAhead)).map((each) => each.fleetOrgId);
    const day = Math.floor(farAhead.getTime() / dayMs);
    const isPlanned = async () => (await findNextConditionChangeAt(api.db)) !== undefined;
    expect([await due(), await isPlanned(), typeof orgId]).toEqual([[api.own.orgId], true, 'string']);
    await suspendPartner(api.db, api.own.orgId, api.clock.now());
    expect([await due(), await isPlanned()]).toEqual([[], false]);
    expect(await claimCheckpoints(api.db, { day, now: farAhead, leaseUntil: farAhead })).toBeUndefined();
    await resumePartner(api.db, api.own.orgId);
    expect([await due(), await isPlanned()]).toEqual([[api.own.orgId], true]);
    expect(await claimCheckpoints(api.db, { day, now: farAhead, leaseUntil: farAhead })).toBeDefined();
  });
});

describe('a suspended partner', () => {
  const fixture = webhookFixture();
  let simulationOrgId: string;
  beforeEach(async () => {
    simulationOrgId = randomUUID();
    const kind = 'simulation' as const;
    const parent = { parent_org_id: fixture.orgId, created_at: new Date(0) };
    const row = { id: simulationOrgId, name: 'Fleet', kind, ...parent };
    await fixture.database.db.insertInto('organizations').values(row).execute();
  });

  test('has no delivery claimed, its simulation organizations neither, until it is resumed', async () => {
    const { db } = fixture.database;
    for (const orgId of [fixture.orgId, simulationOrgId]) {
      await addWebhook(db, orgId, fixture.receiver.url());
      await addMessage(db, orgId, fixture.clock.now());
    }
    const limits = { first: 8, retry: 8, perWebhook: 8, perPartner: 8 };
    const claimed = async () => {
      const terms = { workerId: 0, leaseMs: 1, leaseToken: randomUUID() };
      return (await claimDeliveries(db, limits, terms)).deliveries.map(({ org_id }) => org_id).toSorted();
    };
    await suspendPartner(db, fixture.orgId, fixture.clock.now());
    expect(await claimed()).toEqual([]);
    await resumePartner(db, fixture.orgId);
    expect(await claimed()).toEqual([fixture.orgId, simulationOrgId].toSorted());
  });

  test('gets no token: unauthorized_client for who knows the secret, invalid_client for all others', async () => {
    const { db } = fixture.database;
    const client = await addClient(db);
    const endpoint = createTokenEndpoint({
      db,
      settings: { accessTokenSeconds: 36_000 },
      clock: () => START,
      verifyAccount: () => Promise.resolve(undefined),
    });
    const ask = async (secret: string) => {
      const body = { grant_type: 'client_credentials' };
      const reply = await endpoint.issue({ authorization: basic(client.clientId, secret), body });
      return [reply.status, reply.body?.['error'], reply.body?.['error_description']];
    };
    await suspendPartner(db, client.orgId, START);
    expect(await ask(client.clientSecret)).toEqual([
      400,
      'unauthorized_client',
      'The organization is suspended.',
    ]);
    expect((await ask('wrong')).slice(0, 2)).toEqual([401, 'invalid_client']);
    await resumePartner(db, client.orgId);
    expect((await ask(client.clientSecret))[0]).toBe(200);
  });

  test('is suspended and resumed although it has a transaction under way for longer than others wait', async () => {
    const { database } = fixture;
    const impatient = openDatabase({ connection: database.connection, lockMs: 1 });
    const isWaiting = async (): Promise<boolean> => {
      const waiting = sql`select from ${sql.raw(lockWaits())} where clock_timestamp() - query_start > interval '50 ms'`;
      return (await waiting.execute(database.db)).rows.length > 0;
    };
    try {
      for (const change of [
        () => suspendPartner(impatient.db, fixture.orgId, START),
        () => resumePartner(impatient.db, fixture.orgId),
      ]) {
        const { changed } = await database.db.transaction().execute(async (tx) => {
          await lockOrganization(tx, fixture.orgId);
          const changed = change();
          await Promise.race([changed, until(isWaiting, (is) => is)]);
          return { changed };
        });
        expect(await changed).toBe(true);
      }
    } finally {
      await impatient.close();
    }
  });

  test('keeps its first instant when it is suspended again; strangers and simulation organizations are not found', async () => {
    const { db } = fixture.database;
    expect(await suspendPartner(db, fixture.orgId, START)).toBe(true);
    expect(await suspendPartner(db, fixture.orgId, new Date())).toBe(true);
    const row = await db
      .selectFrom('organizations')
      .select('suspended_at')
      .where('id', '=', fixture.orgId)
      .executeTakeFirst();
    expect(row?.suspended_at).toEqual(START);
    for (const id of [simulationOrgId, randomUUID()])
      expect([await suspendPartner(db, id, START), await resumePartner(db, id)]).toEqual([false, false]);
  });
});
