import { randomUUID } from 'node:crypto';
import { yieldToEventLoop } from '../households/time-slicer.ts';
import type { Services } from '../operations/context.ts';
import { notifyDispatchers } from '../queries/deliveries/deliveries.ts';
import { FairShare, REFUSE_AFTER_MS } from '../shares/fair-share.ts';
import { createWebhookTester, MAX_TESTS_AT_ONCE, MAX_WAITING_TESTS } from '../webhooks/test-sender.ts';
import { throttle } from '../loops/throttle.ts';
import type { ProcessContext } from './process-context.ts';
import type { Workers } from './workers.ts';

/** What operations are given. Without workers in this process, those of others are woken through the database. */
export function createOperationServices(
  {
    settings,
    storage,
    log,
    baseUrl,
    webhookClient,
    clock,
    deliveryMetrics,
    events,
    changes,
    announce,
    announceChange,
    compute,
  }: ProcessContext,
  workers: Workers | undefined,
  invalidateCachedTokensOf: (userOrApplicationId: string) => void,
): Services {
  const { db, background, keyring, linkKey } = storage;
  const onError = (error: unknown): void =>
    log.warn('Workers could not be woken; they look by themselves.', { error });
  const tests = new FairShare({
    capacity: MAX_TESTS_AT_ONCE,
    maxWaiting: MAX_WAITING_TESTS,
    refuseAfterMs: REFUSE_AFTER_MS,
  });
  const notify = throttle(() => notifyDispatchers(background), onError);
  return {
    db,
    baseUrl,
    keyring,
    linkKey,
    invalidateCachedTokensOf,
    allowedNetworks: settings.webhookAllowedNetworks,
    quotas: settings.quotas,
    simulatorFaults: settings.simulatorFaults,
    countCancelled: (reason, count) => deliveryMetrics.deliveriesCancelled(reason, count),
    testWebhook: createWebhookTester({
      client: webhookClient,
      runInTurn: (partnerId, work) => tests.run(partnerId, work),
      hasStandardHeaders: settings.webhookStandardHeaders,
      now: clock,
      newId: randomUUID,
    }),
    compute,
    yieldToEventLoop,
    events,
    changes,
    announceChange,
    wakeDispatcher: (orgIds) => {
      announce(orgIds);
      if (workers === undefined) notify();
      else workers.wakeDispatcher();
    },
    // The transaction that gave the fleet work has notified the runners of other processes.
    wakeFleets: () => workers?.wakeFleets(),
  };
}
