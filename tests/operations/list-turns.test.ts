// Pages of lists are made in turns of their partner, whatever the list.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import type { OperationId } from '../../generated/routes.ts';
import { isListOperation } from '../../src/contract/handlers.ts';
import type { DeviceType } from '../../src/domain/fleets/devices.ts';
import { openDatabase } from '../../src/queries/connection/database.ts';
import type { OpenDatabase } from '../../src/queries/connection/database.ts';
import { startApi } from '../support/api.ts';
import { addDevice } from '../support/fleet-records.ts';
import type { Api, Company } from '../support/api.ts';
import type { Call } from '../support/api-client.ts';
import { until } from '../process/partner.ts';

const LISTS = ROUTES.map(({ operationId }) => operationId).filter(isListOperation);

/** Statements of operations whose rows have come, and wait to be used. */
class Gate implements KyselyPlugin {
  readonly #waiting = new Set<() => void>();
  isOpen = true;

  get waiting(): number {
    return this.#waiting.size;
  }

  readonly transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node;

  async transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    if (!this.isOpen) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    return result;
  }

  open(): void {
    this.isOpen = true;
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }
}

const gate = new Gate();
/** Whether the partner is not alone at work. */
let hasOthers = false;
let api: Api;
let askOwn: (id: OperationId) => Ask;
let askForeign: (id: OperationId) => Ask;
beforeAll(async () => {
  let opened: OpenDatabase | undefined;
  const open = (connection: Parameters<typeof openDatabase>[0]['connection']): Promise<OpenDatabase> => {
    opened = openDatabase({ connection, max: 20 });
    return Promise.resolve(opened);
  };
  api = await startApi({
    requestPool: { open, waitMs: 60_000 },
    recentPartners: { note: () => undefined, hasOthers: () => hasOthers },
    services: {
      get db() {
        if (opened === undefined) throw new Error('The database is not open yet.');
        return opened.db.withPlugin(gate);
      },
    },
  });
  askOwn = await prepare(api.own);
  askForeign = await prepare(api.foreign);
});
afterAll(() => api.close());

/** Asks for a page of the list as the admin of a company; resolves to the status. */
type Ask = () => Promise<number>;

async function prepare({ orgId, admin }: Company): Promise<(id: OperationId) => Ask> {
  const call = (id: OperationId, more: Call): ReturnType<Api['call']> =>
    api.call(id, { ...more, path: { org_id: orgId, ...more.path }, token: admin.token });
  const fleet = await call('createFleet', { body: { request_id: randomUUID(), count: 1 } });
  const webhook = await call('createWebhook', { body: { url: 'https://example.com/' } });
  const addOwn = (type: DeviceType): Promise<string> =>
    addDevice(api.db, { orgId, userId: admin.id }, api.clock.now(), type);
  const path = {
    user_id: admin.id,
    electric_vehicle_id: await addOwn('electric_vehicle'),
    heat_pump_id: await addOwn('heat_pump'),
    inverter_id: await addOwn('inverter'),
    job_id: fleet.body.job_id as string,
    webhook_id: webhook.body.id as string,
  };
  return (id) => async () => {
    const query = id === 'listDayAheadPrices' ? { from_dt: '2026-01-01', to_dt: '2026-01-02' } : {};
    return (await call(id, { path, query })).status;
  };
}

const CASES = LISTS.flatMap((id) => [
  { id, atOnce: 2, beside: 'alone' },
  { id, atOnce: 1, beside: 'beside others' },
]);

test.each(CASES)(
  '$id, $beside: of one partner $atOnce pages are made at once, and another has its own',
  async ({ id, atOnce, beside }) => {
    hasOthers = beside !== 'alone';
    const [own, foreign] = [askOwn(id), askForeign(id)];
    expect([await own(), await foreign()]).toEqual([200, 200]);
    let received = 0;
    const count = (): void => void (received += 1);
    api.server.on('request', count);
    gate.isOpen = false;
    const asked = Array.from({ length: 5 }, own);
    try {
      await until(
        () => received === asked.length && gate.waiting >= atOnce,
        (isSo) => isSo,
      );
      // It comes behind them, and needs no database.
      expect((await api.call('getFleetConfig')).status).toBe(200);
      expect(gate.waiting).toBe(atOnce);
      asked.push(foreign());
      await until(
        () => gate.waiting,
        (waiting) => waiting > atOnce,
      );
    } finally {
      api.server.off('request', count);
      gate.open();
    }
    expect(await Promise.all(asked)).toEqual(asked.map(() => 200));
  },
);

test('a page waits for a chunk of a streamed list of its partner', async () => {
  hasOthers = true;
  gate.isOpen = false;
  const asked = [askOwn('listUsers')()];
  try {
    await until(
      () => gate.waiting,
      (waiting) => waiting === 1,
    );
    const received = once(api.server, 'request');
    asked.push(askOwn('listInformation')());
    await received;
    expect((await api.call('getFleetConfig')).status).toBe(200);
    expect(gate.waiting).toBe(1);
  } finally {
    gate.open();
  }
  expect(await Promise.all(asked)).toEqual([200, 200]);
});
