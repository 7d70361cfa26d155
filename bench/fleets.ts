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
import type { Group } from './group.ts';
import type { Sample } from './row.ts';
import { median } from './statistics.ts';
import { startDatabase } from './webhooks-world.ts';

const HOUSEHOLDS = 1_000;
const ROUNDS = 5;
/** In an order in which each finds what it refers to. */
const TABLES = ['users', 'households', 'devices', 'device_conditions'] as const;

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

const PROVISIONED = '1,000 households built, four tables';
const PROVISIONED_WITH_FAULTS = '1,000 households built, with planned faults';

/** The fleets of one organization, built by the runner; and their rows copied. */
async function* measureProvisioning(simulatorFaults: boolean): AsyncGenerator<Sample, never> {
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
    for (;;) {
      const simulated = await queueFleet(db, orgId);
      const measured = await timed(() => runner.processAll());
      yield { measured, limit: await bareCopy(db, simulated, folder) };
    }
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

const PREVIEW = 'preview of 1,000 on 4000 x 4000 cells';
const PREVIEW_MEMORY = 'preview of 1,000 on 4000 x 4000 cells, memory';

/** Milliseconds of a preview, and by how many MB it has grown the process since `before`. */
function measurePreview(raster: DensityRaster, before: number): { ms: number; mb: number } {
  const start = performance.now();
  previewFleet(randomUUID(), resolve(raster), new Date());
  const ms = performance.now() - start;
  return { ms, mb: (process.memoryUsage.rss() - before) / 1e6 };
}

const SLOWEST_REFUSAL = `${hostileDefinitions.length} hostile definitions, the slowest`;
const MEDIAN_REFUSAL = `${hostileDefinitions.length} hostile definitions, the median`;
const KEPT_BY_REFUSALS = `${hostileDefinitions.length} hostile definitions, memory kept`;

/** Each hostile definition at a real service: the times of the refusals, and what it keeps of a round in memory. */
async function* measureRefusals(): AsyncGenerator<{ times: number[]; keptMb: number }, never> {
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
    const refuse = (text: string): Promise<number> =>
      timed(async () => {
        const answer = await fetch(url, { method: 'POST', headers, body: text });
        await answer.arrayBuffer();
        if (answer.status !== 422) throw new Error(`A hostile definition was answered ${answer.status}.`);
      });
    let before = await memory();
    for (;;) {
      const times: number[] = [];
      for (const { text } of hostileDefinitions) times.push(await refuse(text));
      const after = await memory();
      yield { times, keptMb: after - before };
      before = after;
    }
  } finally {
    await service.remove();
  }
}

const FILE = 'fleets.ts';
const inMs = { unit: 'ms', better: 'less' } as const;
const inMb = { unit: 'MB', better: 'less' } as const;

export const FLEET_GROUPS: readonly Group[] = [
  {
    name: 'fleets/previews',
    file: FILE,
    rows: [
      { name: PREVIEW, ...inMs, goals: { measured: 1000 } },
      { name: PREVIEW_MEMORY, ...inMb, goals: { measured: 300 } },
    ],
    rounds: ROUNDS,
    about: 'nothing: the largest raster',
    measure: async function* () {
      const raster = largestRaster();
      const before = process.memoryUsage.rss();
      yield {};
      for (;;) {
        const { ms, mb } = measurePreview(raster, before);
        yield { [PREVIEW]: { measured: ms }, [PREVIEW_MEMORY]: { measured: mb } };
      }
    },
  },
  {
    name: 'fleets/provisioning',
    file: FILE,
    rows: [PROVISIONED, PROVISIONED_WITH_FAULTS].map((name) => ({ name, ...inMs, goals: { toLimit: 3 } })),
    rounds: ROUNDS,
    about: 'COPY of the same rows out of files, by the server itself, in one transaction',
    measure: async function* () {
      const [without, beside] = [measureProvisioning(false), measureProvisioning(true)];
      const next = async () => ({
        [PROVISIONED]: (await without.next()).value,
        [PROVISIONED_WITH_FAULTS]: (await beside.next()).value,
      });
      try {
        // What compiles the code and plans the statements.
        await next();
        yield {};
        for (;;) yield await next();
      } finally {
        await without.return(undefined as never);
        await beside.return(undefined as never);
      }
    },
  },
  {
    name: 'fleets/refusals',
    file: FILE,
    rows: [
      { name: SLOWEST_REFUSAL, ...inMs, goals: { measured: 200 } },
      { name: MEDIAN_REFUSAL, ...inMs, goals: {} },
      { name: KEPT_BY_REFUSALS, ...inMb, goals: { measured: 5 } },
    ],
    rounds: ROUNDS,
    about:
      'nothing: each sent to one service in each round; the memory kept is that of a round after the first',
    measure: async function* () {
      const refusals = measureRefusals();
      try {
        await refusals.next();
        yield {};
        for (;;) {
          const { times, keptMb } = (await refusals.next()).value;
          yield {
            [SLOWEST_REFUSAL]: { measured: times.reduce((a, b) => Math.max(a, b), 0) },
            [MEDIAN_REFUSAL]: { measured: median(times) },
            [KEPT_BY_REFUSALS]: { measured: keptMb },
          };
        }
      } finally {
        await refusals.return(undefined as never);
      }
    },
  },
];
