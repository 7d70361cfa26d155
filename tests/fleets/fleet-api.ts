import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { toOwnBytes } from '../../src/contract/free-bytes.ts';
import type { BuildHouseholds } from '../../src/fleets/provisioning.ts';
import { FleetRunner } from '../../src/fleets/runner.ts';
import type { FleetRunnerOptions } from '../../src/fleets/runner.ts';
import type { Answer } from '../support/api-client.ts';
import { startApi } from '../support/api.ts';
import type { Api, ApiOptions } from '../support/api.ts';

export interface FleetApi {
  readonly api: Api;
  readonly runner: FleetRunner;
  /** A runner of its own, as in another process. */
  anotherRunner(options?: Partial<FleetRunnerOptions>): FleetRunner;
  /** Computes households on the threads of the API, as a running service does. */
  readonly buildOnThread: BuildHouseholds;
  /** Errors that runners told of. */
  readonly errors: unknown[];
  /** Creates a fleet; it stays queued until the runner works. */
  create(body?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Creates a fleet and lets it run; its record. */
  running(body?: Readonly<Record<string, unknown>>): Promise<Answer['body']>;
  get(jobId: string): Promise<Answer['body']>;
  /** One of the operations whose path names the fleet and whose body is empty. */
  act(operation: 'stopFleet' | 'cancelFleet' | 'cleanupFleet' | 'purgeFleet', jobId: string): Promise<Answer>;
  expand(jobId: string, count: number, requestId?: string): Promise<Answer>;
  /** Every page of the devices listing. */
  devices(jobId: string): Promise<Answer['body'][]>;
  locations(jobId: string): Promise<Answer['body'][]>;
}

type FleetApiOptions = ApiOptions & { readonly faults?: boolean };

/** For a test file: the API with a fleet runner that works when it is told to. No test may leave an error behind. */
export function fleetApi(options: FleetApiOptions = {}): FleetApi {
  const set = {} as FleetApi;
  beforeAll(async () => {
    Object.assign(set, await startFleetApi(options));
  });
  afterAll(async () => {
    expect(set.errors).toEqual([]);
    await set.runner.destroy();
    await set.api.close();
  });
  return set;
}

async function startFleetApi(options: FleetApiOptions): Promise<FleetApi> {
  const api = await startApi(options);
  const errors: unknown[] = [];
  const anotherRunner = (more: Partial<FleetRunnerOptions> = {}): FleetRunner =>
    new FleetRunner({
      db: api.db,
      now: api.clock.now,
      simulatorFaults: options.faults ?? false,
      wakeDispatcher: () => {},
      onError: (error) => errors.push(error),
      ...more,
    });
  const runner = anotherRunner();
  const create: FleetApi['create'] = (body) =>
    api.call('createFleet', { body: { request_id: randomUUID(), ...body } });
  const get: FleetApi['get'] = async (jobId) =>
    (await api.call('getFleet', { path: { job_id: jobId } })).body;
  return {
    api,
    runner,
    anotherRunner,
    buildOnThread: async (partnerId, question) => {
      const sentWeights = question.sentWeights && toOwnBytes(question.sentWeights);
      const input = { ...question, sentWeights };
      return (await api.services.compute.run(partnerId, 'buildHouseholdsOfFleet', input)).households;
    },
    errors,
    create,
    get,
    running: async (body) => {
      const created = await create(body);
      expect(created.status).toBe(200);
      await runner.processAll();
      const fleet = await get(created.body.job_id as string);
      expect(fleet.status).toBe('running');
      return fleet;
    },
    act: (operation, jobId) => api.call(operation, { path: { job_id: jobId } }),
    expand: (jobId, count, requestId = randomUUID()) =>
      api.call('expandFleet', { path: { job_id: jobId }, body: { request_id: requestId, count } }),
    devices: async (jobId) => {
      const items: Answer['body'][] = [];
      for (let page = 1; ; page++) {
        const { body } = await api.call('listFleetDevices', { path: { job_id: jobId }, query: { page } });
        items.push(...(body.items as Answer['body'][]));
        if (page * 50 >= body.total) return items;
      }
    },
    locations: async (jobId) =>
      (await api.call('listFleetLocations', { path: { job_id: jobId } })).body as Answer['body'][],
  };
}
