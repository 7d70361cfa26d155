import { FleetRunner } from '../fleets/runner.ts';
import { deliveriesChannel } from '../queries/deliveries/deliveries.ts';
import { FLEETS_CHANNEL } from '../queries/fleets/fleets.ts';
import { listen } from '../queries/connection/listen.ts';
import { holdPresence } from '../queries/connection/worker-presence.ts';
import { Dispatcher } from '../webhooks/dispatcher.ts';
import { registerBacklogMetrics } from './metrics.ts';
import type { ProcessContext } from './process-context.ts';
import { startSweeper } from '../maintenance/sweeper.ts';

/** The loops of a process: webhook dispatcher, fleet runner, sweeper. */
export interface Workers {
  wakeDispatcher(): void;
  wakeFleets(): void;
  stop(): Promise<void>;
}

export async function startWorkers({
  settings,
  storage,
  log,
  deliveryMetrics,
  exchange,
  clock,
  registry,
  announce,
}: ProcessContext): Promise<Workers> {
  const { db, config, keyring } = storage;
  const failed = (loop: string) => (error: unknown) =>
    log.error('A loop failed; it goes on.', { loop, error });
  const dispatcher = new Dispatcher({
    db,
    exchange,
    keyring,
    hasStandardHeaders: settings.webhookStandardHeaders,
    now: clock,
    random: Math.random,
    metrics: deliveryMetrics,
    onError: failed('dispatcher'),
    listen: (wake) => listen(config, deliveriesChannel, wake, failed('dispatcher')),
    presence: () => holdPresence(config, failed('dispatcher')),
  });
  const runner = new FleetRunner({
    db,
    now: clock,
    simulatorFaults: settings.simulatorFaults,
    wakeDispatcher: () => {
      announce();
      dispatcher.wake();
    },
    onError: failed('fleets'),
    listen: (wake) => listen(config, FLEETS_CHANNEL, wake, failed('fleets')),
  });
  const sweeper = startSweeper({
    db,
    clock,
    messageDays: settings.messageDays,
    onError: failed('sweeper'),
  });
  registerBacklogMetrics(registry, db, clock);
  await dispatcher.start();
  await runner.start();
  return {
    wakeDispatcher: () => dispatcher.wake(),
    wakeFleets: () => runner.wake(),
    stop: async () => {
      await Promise.all([sweeper.stop(), runner.destroy(), dispatcher.destroy()]);
      await exchange.destroy();
    },
  };
}
