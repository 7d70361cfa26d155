// What so many devices need, from figures and assumptions.
import { ASSUMPTIONS } from './assumptions.ts';
import { computeApiCores, computeDatabaseCores, computeWorkerCores } from './cores.ts';
import { computeDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import type { ScaleFigures } from './figures.ts';
import { computeLoad } from './load.ts';
import type { Load } from './load.ts';

export interface Demand extends Load {
  /** At the peak, and so many that they are only as busy as they may be. */
  readonly cores: { readonly api: number; readonly workers: number; readonly database: number };
  readonly processes: { readonly api: number; readonly workers: number };
  readonly connections: number;
  readonly disk: Disk;
}

/** What a number of devices needs. Throws when the figures lack a row or a table. */
export function computeDemand(figures: ScaleFigures, devices: number): Demand {
  const load = computeLoad(devices);
  const api = computeApiCores(figures, load);
  const workers = computeWorkerCores(figures, load);
  const processes = { api: countProcesses(api), workers: countProcesses(workers) };
  // What is beyond is counted and not kept.
  const most = ASSUMPTIONS.loggedRequests.value * load.partners * processes.api;
  const logged = (perSecond: number): number => Math.min(perSecond, most);
  return {
    ...load,
    cores: { api, workers, database: computeDatabaseCores(figures, load, logged(load.requestsPerSecond)) },
    processes,
    connections: countConnections(processes),
    disk: computeDisk(figures, load, logged(load.requestsPerSecond / ASSUMPTIONS.peak.value)),
  };
}

/** A process has one event loop: one core. */
function countProcesses(cores: number): number {
  return Math.max(ASSUMPTIONS.atLeast.value, Math.ceil(cores));
}

function countConnections({ api, workers }: Demand['processes']): number {
  const { poolSize, ownConnections } = ASSUMPTIONS;
  return api * poolSize.value + (api + workers) * ownConnections.value;
}
