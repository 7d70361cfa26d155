// The statements that requests send, in the run of all examples of the document, as the planner sees them: each row of a partner is looked
// for by its organization, whose value the statement has. A distributed table is then asked on the one machine that has it. What functions
// of the migrations do is not seen: insert_message_with_deliveries counts at the partner what it inserts in one of its organizations.
import { afterAll, expect, test } from 'vitest';
import type pg from 'pg';
import { findRequestScope } from '../../src/queries/connection/request-scope.ts';
import { exampleWorld } from '../contract/example-world.ts';
import { EXPECTED_OUTCOMES, sendDirectly, sendExamples } from '../contract/send-examples.ts';
import { recordStatements } from '../support/sent-statements.ts';

const recorder = recordStatements(() => findRequestScope()?.isOfProcess === false);
const world = exampleWorld();
afterAll(() => recorder.stop());

/** They have rows of all organizations, and are copied to all machines where others are distributed. */
const SHARED = ['organizations', 'usernames', 'client_ids'];

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

function* scansOf(plan: Plan): Iterable<Plan> {
  if (plan['Node Type'].endsWith('Scan') && plan['Relation Name'] !== undefined) yield plan;
  for (const child of plan.Plans ?? []) yield* scansOf(child);
}

/** Whether rows are looked for by an organization that is a value of the statement, not a column of another table. */
function namesOrganization(scan: Plan): boolean {
  const conditions = [scan['Index Cond'], scan['Recheck Cond'], scan.Filter].filter(
    (each) => each !== undefined,
  );
  return conditions.some((each) => /\b(?:simulation_)?org_id = (?:ANY \()?\(?(?:\$\d|')/.test(each));
}

async function listTenantTables(pool: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'org_id'`,
  );
  return new Set(rows.map(({ name }) => name).filter((name) => !SHARED.includes(name)));
}

/** The plan for values that are not known. */
async function planOf(client: pg.ClientBase, text: string, parameters: number): Promise<Plan> {
  await client.query(`prepare sent as ${text}`);
  const nulls = Array<string>(parameters).fill('null').join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (costs off, format json) execute sent ${parameters === 0 ? '' : `(${nulls})`}`,
  );
  await client.query('deallocate sent');
  const [row] = rows;
  if (row === undefined) throw new Error('A statement has no plan.');
  return row['QUERY PLAN'][0].Plan;
}

interface Unnamed {
  readonly text: string;
  readonly tables: readonly string[];
}

/** What else they read, by a part of the statement that no other one has. */
const EXCEPTIONS: readonly {
  readonly holds: string;
  readonly tables: readonly string[];
  readonly why: string;
}[] = [
  {
    holds: '"parent"."uploads"',
    tables: ['price_counts'],
    why: 'Whose prices an organization knows is asked with each schedule: of it and of its parent, by key, in one statement.',
  },
];

/** The tables of which a statement looks for rows without naming their organization. */
async function listUnnamed(
  pool: pg.Pool,
  statements: readonly { text: string; values: readonly unknown[] }[],
) {
  const tenantTables = await listTenantTables(pool);
  const client = await pool.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    const unnamed: Unnamed[] = [];
    for (const { text, values } of statements) {
      const scans = [...scansOf(await planOf(client, text, values.length))];
      const tables = scans
        .filter((scan) => tenantTables.has(scan['Relation Name'] ?? '') && !namesOrganization(scan))
        .map((scan) => scan['Relation Name'] ?? '');
      if (tables.length > 0) unnamed.push({ text, tables: [...new Set(tables)].sort() });
    }
    return unnamed;
  } finally {
    client.release(true);
  }
}

test('every statement of a request names the organization of what it reads', async () => {
  expect(await sendExamples(world, sendDirectly(world))).toEqual(EXPECTED_OUTCOMES);
  const statements = recorder
    .take()
    .filter(({ text }) => /^\s*(?:with|select|insert|update|delete)\b/i.test(text));
  expect(statements.length).toBeGreaterThan(100);
  const unnamed = await listUnnamed(world.fleets.api.pool, statements);
  const isKnown = ({ text, tables }: Unnamed): boolean =>
    EXCEPTIONS.some(({ holds, tables: known }) => text.includes(holds) && String(tables) === String(known));
  expect(unnamed.filter((each) => !isKnown(each))).toEqual([]);
  expect(unnamed.filter(isKnown)).toHaveLength(EXCEPTIONS.length);
}, 120_000);

test('a statement that joins by the organization of another row alone is found', async () => {
  const ofOwner = (organization: string): string =>
    `select from (select org_id, user_id from devices where org_id = $1 limit 1) d
     join users u on u.org_id = ${organization} and u.id = d.user_id`;
  const statements = ['d.org_id', '$1'].map((organization) => ({
    text: ofOwner(organization),
    values: [''],
  }));
  expect(await listUnnamed(world.fleets.api.pool, statements)).toEqual([
    { text: ofOwner('d.org_id'), tables: ['users'] },
  ]);
});
