import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type Api } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a total is counted up to 250; beyond, there is a next page and no last one', async () => {
  const fill = (count: number) =>
    sql`
      insert into notification_items (org_id, id, kind, message, occurred_at)
      select ${api.own.orgId}, gen_random_uuid(), 'information', 'To all.', ${api.clock.now()}::timestamptz + i * interval '1 second'
      from generate_series(1, ${count}::integer) i`.execute(api.db);
  const read = async (operation: 'listActions' | 'listInformation', offset: number) => {
    const { body, headers } = await api.call(operation, { query: { limit: 50, offset } });
    const relations = [...(headers['link'] ?? '').matchAll(/rel="(\w+)"/g)].map(([, name]) => name);
    return [body.total, body.total_capped, body.items.length, relations.join(' ')];
  };
  await fill(250);
  for (const operation of ['listActions', 'listInformation'] as const)
    expect(await read(operation, 0)).toEqual([250, false, 50, 'first next last']);
  await fill(200);
  for (const operation of ['listActions', 'listInformation'] as const) {
    expect(await read(operation, 0)).toEqual([250, true, 50, 'first next']);
    expect(await read(operation, 350)).toEqual([400, true, 50, 'first prev next']);
    expect(await read(operation, 400)).toEqual([450, false, 50, 'first prev last']);
    expect(await read(operation, 430)).toEqual([450, false, 20, 'first prev last']);
    expect(await read(operation, 5_000)).toEqual([250, true, 0, 'first prev']);
  }
});
