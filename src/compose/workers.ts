import { toOwnBytes } from '../contract/free-bytes.ts';
import type { ComputePool } from '../compute/pool.ts';
import type { BuildHouseholds } from '../fleets/provisioning.ts';
import { FleetRunner } from '../fleets/runner.ts';
import { DELIVERIES_CHANNEL } from '../queries/deliveries/deliveries.ts';
import { FLEETS_CHANNEL } from '../queries/fleets/fleets.ts';
import { listenOnChannel } from '../queries/connection/listen.ts';
import { startWorkerPresence } from '../queries/connection/worker-presence.ts';
import { longestWindowMs } from '../config/rate-limits.ts';
import { Dispatcher } from '../webhooks/dispatcher.ts';
import { tellLoopError } from './loop-errors.ts';
import { registerQueueMetrics } from './metrics.ts';
import type { ProcessContext } from './process-context.ts';
import { startExpiredDataSweeper } from '../maintenance/sweeper.ts';

/** The loops of a process: webhook dispatcher, fleet runner, sweeper. */
export interface Workers {
  wakeDispatcher(): void;
  wakeFleets(): void;
  stop(): Promise<void>;
}

/** Starts the loops; resolves when each of them listens for its notifications. Where one cannot, all have stopped. */
export async function startWorkers({
  settings,
  storage,
  log,
  deliveryMetrics,
  webhookClient,
  clock,
  registry,
  announce,
  compute,
}: ProcessContext): Promise<Workers> {
  const { background: db, config, keyring } = storage;
  const failed = (loop: string) => tellLoopError(log, loop);
  const dispatcher = new Dispatcher({
    db,
    client: webhookClient,
    keyring,
    hasStandardHeaders: settings.webhookStandardHeaders,
    now: clock,
    random: Math.random,
    metrics: deliveryMetrics,
    onError: failed('dispatcher'),
    listen: (wake) => listenOnChannel(config, DELIVERIES_CHANNEL, wake, failed('dispatcher')),
    presence: () => startWorkerPresence(config, failed('dispatcher')),
  });
  const runner = new FleetRunner({
    db,
    now: clock,
    simulatorFaults: settings.simulatorFaults,
    buildHouseholds: buildOnThreads(compute),
    pendingDeliveries: settings.quotas.pending_deliveries,
    countDropped: (count) => deliveryMetrics.deliveriesCancelled('quota_reached', count),
    wakeDispatcher: (orgIds) => {
      announce(orgIds);
      dispatcher.wake();
    },
    onError: failed('fleets'),
    listen: (wake) => listenOnChannel(config, FLEETS_CHANNEL, wake, failed('fleets')),
  });
  const sweeper = startExpiredDataSweeper({
    db,
    clock,
    days: settings.retentionDays,
    rateLimitWindowMs: longestWindowMs(settings.rateLimits),
    onError: failed('sweeper'),
  });
  registerQueueMetrics(registry, db, clock);
  const stop = async (): Promise<void> => {
    await Promise.all([sweeper.stop(), runner.destroy(), dispatcher.stop()]);
    await webhookClient.close();
  };
  await startEach([dispatcher, runner]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { wakeDispatcher: () => dispatcher.wake(), wakeFleets: () => runner.wake(), stop };
}

async function startEach(loops: readonly Pick<Dispatcher, 'start'>[]): Promise<void> {
  for (const loop of loops) await loop.start();
}

function buildOnThreads(compute: ComputePool): BuildHouseholds {
  return async (partnerId, question) => {
    const sentWeights = question.sentWeights && toOwnBytes(question.sentWeights);
    const input = { ...question, sentWeights };
    return (await compute.run(partnerId, 'buildHouseholdsOfFleet', input)).households;
  };
}
