import type { Log } from '../log/log.ts';
import { createHostLookup } from '../webhooks/name-lookup.ts';
import { RefusedDestinations } from '../webhooks/refused-destinations.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';

/**
 * The client of a process, for deliveries and tests of webhooks. Addresses that it does not call are in the log. `allowedNetworks`:
 * CIDR blocks that it may call although they are private; `extraCa`: PEM of further certificate authorities.
 */
export function createWebhookClient(
  allowedNetworks: readonly string[],
  extraCa: string | undefined,
  log: Log,
  lookup = createHostLookup(),
): WebhookClient {
  const refused = new RefusedDestinations(
    ({ webhookId, host, reason, attempts }) =>
      log.info('A webhook was not called.', { webhook_id: webhookId, host, reason, attempts }),
    () => performance.now(),
  );
  return new WebhookClient({
    lookup,
    allowedNetworks,
    extraCa,
    onRefusedAddress: (destination) => refused.add(destination),
  });
}
