import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/queries/connection/database.ts';
import { prepare } from '../../../src/queries/connection/prepared.ts';
import { testDatabase } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';

let at: TestDatabase;
beforeAll(async () => {
  at = await testDatabase();
});
afterAll(() => at.close());

interface Texts {
  readonly texts: readonly string[];
}

const write = (_db: unknown, { texts }: Texts) =>
  sql<{ at: Date }>`select unnest(${texts}::text[])::timestamptz as at`;
const readDates = prepare(write);
const readTexts = prepare(write, 'text');

test('an instant is read as the text that its date prints', async () => {
  const instant = fc.oneof(
    fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    fc.date({ min: new Date('0001-01-01T00:00Z'), max: new Date('9999-12-31'), noInvalidDate: true }),
  );
  const unlikely = [
    '2026-03-29T01:00:00Z',
    '2026-03-29T01:00:00.100Z',
    '2026-03-29T01:00:00.120Z',
    '2026-03-29T01:00:00.123456Z',
    '2026-03-29T01:00:00.12345Z',
    '10000-01-01T00:00:00.001Z',
    '12026-03-29T01:00:00Z',
    '0044-03-15 12:00:00.5+00 BC',
    '0001-01-01T00:00:00Z',
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(instant, { minLength: 1, maxLength: 200 }), async (instants) => {
      const texts = [...instants.map((date) => date.toISOString()), ...unlikely];
      const dates = await readDates(at.db, { texts });
      expect(await readTexts(at.db, { texts })).toEqual(dates.map((row) => ({ at: row.at.toISOString() })));
    }),
  );
});

test('the zone of the server makes no difference', async () => {
  const texts = ['2026-03-29T01:00:00.5Z', '2026-07-01T00:00:00Z'];
  const expected = [{ at: '2026-03-29T01:00:00.500Z' }, { at: '2026-07-01T00:00:00.000Z' }];
  for (const zone of ['Europe/Vienna', 'Asia/Kolkata', 'America/St_Johns']) {
    const there = openDatabase({ connection: { ...at.connection, options: `-c TimeZone=${zone}` } });
    expect(await readTexts(there.db, { texts })).toEqual(expected);
    await there.close();
    await at.db.transaction().execute(async (tx) => {
      await sql`select set_config('TimeZone', ${zone}, true)`.execute(tx);
      expect(await readTexts(tx, { texts })).toEqual(expected);
    });
  }
});

test('an instant that is not there is null', async () => {
  const read = prepare(() => sql<{ at: Date | null }>`select null::timestamptz as at`, 'text');
  expect(await read(at.db, {})).toEqual([{ at: null }]);
});
