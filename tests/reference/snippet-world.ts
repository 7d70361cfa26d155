import { randomUUID } from 'node:crypto';
import type { OperationId } from '../../generated/routes.ts';
import { insertMessageWithDeliveries } from '../../src/queries/deliveries/deliveries.ts';
import type { FleetApi } from '../fleets/fleet-api.ts';
import { addPerson } from '../support/api.ts';
import { addUser } from '../support/fleet-records.ts';
import { addActionItem } from '../support/resolution-fixture.ts';
import { finishDelivery } from '../support/webhook-fixture.ts';
import type { Environment } from './snippet-runners.ts';

/** What the environment of a snippet tells: for each operation an object that its call succeeds on. */
export interface SnippetWorld {
  environmentOf(id: OperationId): Promise<Environment>;
}

/** The ids of a simulated household that has a device of each type. */
interface Home {
  readonly ORG_ID: string;
  readonly USER_ID: string;
  readonly [device: `${string}_ID`]: string;
}

type Prepare = () => Promise<Environment> | Environment;

/** One running fleet for what reads it; what an operation changes or ends is made anew for each call. */
export async function createSnippetWorld(fleets: FleetApi): Promise<SnippetWorld> {
  const { api } = fleets;
  const fleet = await fleets.running({ count: 4, ev_ownership_fraction: 1 });
  const jobId = fleet.job_id as string;
  const home = await findHome(fleets, jobId, fleet.simulation_org_id as string);
  const common = {
    TOKEN: api.own.admin.token,
    ORG_ID: api.own.orgId,
    ...(await clientOf(fleets)),
    JOB_ID: jobId,
    DEVICE_ID: home['INVERTER_ID'] ?? '',
  };
  const small = { count: 1 };
  const queued = async (): Promise<Environment> => ({
    JOB_ID: (await fleets.create(small)).body.job_id as string,
  });
  const running = async (): Promise<Environment> => ({
    JOB_ID: (await fleets.running(small)).job_id as string,
  });
  const stopped = async (): Promise<Environment> => {
    const made = await running();
    await fleets.act('stopFleet', made['JOB_ID'] ?? '');
    return made;
  };
  const user = async (): Promise<Environment> => {
    const id = await addUser(api.db, api.own.orgId, api.clock.now());
    const external = `customer/${id}`;
    await api.call('updateUser', { path: { user_id: id }, body: { external_user_id: external } });
    return { USER_ID: id, EXTERNAL_USER_ID: external };
  };
  const prepare: Partial<Record<OperationId, Prepare>> = {
    createUser: async () => {
      await api.db.deleteFrom('users').where('email', '=', 'anna.huber@example.com').execute();
      return {};
    },
    getUser: user,
    updateUser: user,
    deleteUser: user,
    getUserByExternalId: user,
    // Its example is another definition than that of the fleet which the example of createFleet makes.
    previewFleet: () => ({ ORG_ID: api.foreign.orgId, TOKEN: api.foreign.admin.token }),
    stopFleet: running,
    cleanupFleet: stopped,
    cancelFleet: queued,
    purgeFleet: stopped,
    listDeliveries: () => delivered(fleets),
    getDelivery: () => delivered(fleets),
    redeliver: () => delivered(fleets),
    resolveNotificationItem: async () => {
      const owner = await addPerson(api.db, api.own.orgId, 'user', api.clock.now());
      const item = await addActionItem(api, 'reauthenticate', owner);
      return { ITEM_ID: item.id, SECRET: item.secret };
    },
  };
  return {
    environmentOf: async (id) => {
      const ofHome = /HeatPump|Inverter|ElectricVehicle|Wallbox|Household/.test(id) ? home : {};
      const ofWebhook = /Webhook/.test(id) ? { WEBHOOK_ID: await createWebhook(fleets) } : {};
      return { ...common, ...ofHome, ...ofWebhook, ...(await prepare[id]?.()) };
    },
  };
}

async function findHome(fleets: FleetApi, jobId: string, orgId: string): Promise<Home> {
  const devices = await fleets.devices(jobId);
  const types = ['heat_pump', 'inverter', 'electric_vehicle', 'wallbox'];
  for (const { user_id: userId } of devices) {
    const own = devices.filter((each) => each.user_id === userId);
    const ids = types.map((type) => [
      `${type.toUpperCase()}_ID`,
      own.find((each) => each.device_type === type)?.device_id as string | undefined,
    ]);
    if (ids.every(([, id]) => id !== undefined))
      return { ORG_ID: orgId, USER_ID: userId as string, ...(Object.fromEntries(ids) as object) };
  }
  throw new Error('No household of the fleet has all devices.');
}

/** The admin's application; tests/support/api.ts gives it its secret. */
async function clientOf({ api }: FleetApi): Promise<Environment> {
  const { client_id: clientId } = await api.db
    .selectFrom('applications')
    .select('client_id')
    .where('owner_user_id', '=', api.own.admin.id)
    .executeTakeFirstOrThrow();
  return { CLIENT_ID: clientId, CLIENT_SECRET: 'unused' };
}

async function createWebhook({ api }: FleetApi): Promise<string> {
  const topics = ['device.action_required', 'device.information'];
  const url = `https://partner.example.com/${randomUUID()}`;
  return (await api.call('createWebhook', { body: { url, topics } })).body.id as string;
}

/** A webhook with a message that was delivered to it. */
async function delivered(fleets: FleetApi): Promise<Environment> {
  const { api } = fleets;
  const webhookId = await createWebhook(fleets);
  const [id, now] = [randomUUID(), api.clock.now()];
  const message = { org_id: api.own.orgId, id, message_type: 'device.information', occurred_at: now };
  await api.db
    .transaction()
    .execute((tx) => insertMessageWithDeliveries(tx, { ...message, payload: Buffer.from('{}') }, now));
  const key = { org_id: api.own.orgId, message_id: id, webhook_id: webhookId };
  await finishDelivery(api.db, key, { state: 'delivered', attempts: 1 }, now);
  return { WEBHOOK_ID: webhookId, MESSAGE_ID: id };
}
