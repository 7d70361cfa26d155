// Fleets: building 1,000 households beside a bare COPY of the same rows, a preview of the largest raster, and what
// refusing hostile definitions costs.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import { FleetRunner } from '../src/fleets/runner.ts';
import type { Db } from '../src/queries/connection/database.ts';
import { insertFleet } from '../src/queries/fleets/fleets.ts';
import { insertOrganization } from '../src/queries/accounts/organizations.ts';
import { computeHistoryWindow } from '../src/simulation/definition/definition-record.ts';
import { resolveDefinition } from '../src/simulation/definition/resolve-definition.ts';
import type { ResolvedDefinition } from '../src/simulation/definition/resolve-definition.ts';
import { MODEL_VERSION } from '../src/simulation/household/household.ts';
import { deriveFleetId, deriveSimulationOrgId } from '../src/simulation/household/identity.ts';
import { toStoredDefinition } from '../src/simulation/definition/stored-definition.ts';
import { previewFleet } from '../src/simulation/preview/preview.ts';
import type { DensityRaster } from '../src/simulation/definition/fleet-definition.ts';
import { hostileDefinitions } from '../tests/operations/hostile-definitions.ts';
import { fixedCredentials, PartnerApi } from '../tests/process/partner.ts';
import { startService } from '../tests/support/service.ts';
import { startDatabase } from './webhooks-world.ts';

const HOUSEHOLDS = 1_000;
const ROUNDS = 5;
/** In an order in which each finds what it refers to. */
const TABLES = ['users', 'households', 'devices', 'device_conditions'] as const;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function resolve(density: DensityRaster | null = null): ResolvedDefinition {
  const resolution = resolveDefinition(
    { request_id: randomUUID(), count: HOUSEHOLDS, ev_ownership_fraction: 0.5, density },
    new Date(),
  );
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.errors));
  return resolution;
}

async function queueFleet(db: Db, orgId: string): Promise<string> {
  const { definition, density } = resolve();
  const now = new Date();
  const id = deriveFleetId(orgId, definition.request_id);
  const { from, to } = computeHistoryWindow(definition, now);
  const simulated = deriveSimulationOrgId(id);
  await insertOrganization(db, {
    id: simulated,
    name: 'B',
    kind: 'simulation',
    parentOrgId: orgId,
    createdAt: now,
  });
  const counts = { household_count: definition.count, created_count: 0, settled_count: 0 };
  const times = { history_from: from, history_to: to, created_at: now, started_at: null, stopped_at: null };
  const words = { request_id: definition.request_id, name: 'B', status: 'queued', error: null } as const;
  const model = {
    seed: definition.seed,
    model_version: MODEL_VERSION,
    definition: toStoredDefinition(definition),
  };
  const fleet = { org_id: orgId, id, simulation_org_id: simulated, ...words, ...counts, ...times, ...model };
  await db.transaction().execute((tx) => insertFleet(tx, fleet, density?.weights ?? null));
  return simulated;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The rows of an organization taken out into files and, timed, put back by the server itself in one transaction. */
async function bareCopy(db: Db, orgId: string, folder: string): Promise<number> {
  const file = (table: string) => sql.lit(join(folder, table));
  for (const table of TABLES) {
    const rows = sql`select * from ${sql.table(table)} where org_id = ${sql.lit(orgId)}`;
    await sql`copy (${rows}) to ${file(table)}`.execute(db);
  }
  for (const table of TABLES.toReversed()) {
    await sql`delete from ${sql.table(table)} where org_id = ${orgId}`.execute(db);
  }
  return timed(() =>
    db.transaction().execute(async (tx) => {
      for (const table of TABLES) await sql`copy ${sql.table(table)} from ${file(table)}`.execute(tx);
    }),
  );
}

async function provisioning(simulatorFaults: boolean): Promise<void> {
  const database = await startDatabase();
  const { db } = database;
  const folder = mkdtempSync(join(tmpdir(), 'partner-copy-'));
  try {
    const orgId = randomUUID();
    const created = { name: 'Bench', kind: 'partner', parentOrgId: null, createdAt: new Date() } as const;
    await insertOrganization(db, { id: orgId, ...created });
    const runner = new FleetRunner({
      db,
      now: () => new Date(),
      simulatorFaults,
      wakeDispatcher: () => undefined,
      onError: (error) => console.error(error),
    });
    const built: number[] = [];
    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const simulated = await queueFleet(db, orgId);
      const ours = await timed(() => runner.processAll());
      const limit = await bareCopy(db, simulated, folder);
      // The first round warms up.
      if (round === 0) continue;
      built.push(ours);
      ratios.push(ours / limit);
    }
    const [ms, ratio] = [median(built).toFixed(0), median(ratios).toFixed(2)];
    const what = `1,000 households${simulatorFaults ? ' with planned faults' : ''} to bare COPY`;
    console.log(`${what.padEnd(46)} ${ratio}    (${ms} ms; goal at most 3)`);
  } finally {
    rmSync(folder, { recursive: true });
    await database.remove();
  }
}

/** 16 million cells over Germany, filled in squares. */
function largestRaster(): DensityRaster {
  const [rows, cols] = [4000, 4000];
  const cells = Buffer.alloc(rows * cols);
  for (let i = 0; i < cells.length; i++) cells[i] = 1 + (((i / cols) >> 6) ^ ((i % cols) >> 6));
  return {
    country: 'DE',
    dataset_version: 'bench',
    boundary_version: 'natural-earth-4.1-50m',
    grid: { origin_lat: 55.1, origin_lon: 5.8, cell_deg: 0.0025, rows, cols },
    weights: deflateRawSync(cells).toString('base64'),
  };
}

function preview(): void {
  const raster = largestRaster();
  const times: number[] = [];
  let most = 0;
  const before = process.memoryUsage.rss();
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    previewFleet(randomUUID(), resolve(raster), new Date());
    times.push(performance.now() - start);
    most = Math.max(most, process.memoryUsage.rss());
  }
  const [ms, mb] = [median(times).toFixed(0), ((most - before) / 1e6).toFixed(0)];
  console.log(
    `${'preview of 1,000 on 4000 x 4000 cells'.padEnd(46)} ${ms} ms (goal below 1000; ${mb} MB more than before)`,
  );
}

/** Each hostile definition at a real service: the slowest refusal, and what memory keeps of two further rounds. */
async function refusals(): Promise<void> {
  const fixed = fixedCredentials();
  const service = await startService({ env: { ...fixed.env, RATE_LIMITS: 'off', LOG_LEVEL: 'error' } });
  try {
    const { token } = await PartnerApi.open(service, fixed);
    const url = `${service.baseUrl}/api/partners/v2.0/org/${fixed.orgId}/device-simulator/fleets/preview`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const memory = async (): Promise<number> => {
      const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1e6;
    };
    const times: number[] = [];
    const kept: number[] = [];
    for (let round = 0; round < 4; round++) {
      for (const { text } of hostileDefinitions) {
        const ms = await timed(async () => {
          const answer = await fetch(url, { method: 'POST', headers, body: text });
          await answer.arrayBuffer();
          if (answer.status !== 422) throw new Error(`A hostile definition was answered ${answer.status}.`);
        });
        // The first round warms up.
        if (round > 0) times.push(ms);
      }
      kept.push(await memory());
    }
    const [, first = 0, , last = 0] = kept;
    const slowest = times.reduce((a, b) => Math.max(a, b), 0).toFixed(0);
    const what = `${hostileDefinitions.length} hostile definitions, the slowest`;
    const grown = `${(last - first).toFixed(0)} MB more after ${2 * hostileDefinitions.length}`;
    console.log(
      `${what.padEnd(46)} ${slowest} ms (median ${median(times).toFixed(0)} ms; goal below 200; ${grown})`,
    );
  } finally {
    await service.remove();
  }
}

export async function benchFleets(): Promise<void> {
  console.log('\nFleets\n');
  preview();
  await provisioning(false);
  await provisioning(true);
  await refusals();
}

if (import.meta.main) await benchFleets();
