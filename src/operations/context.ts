import type { QuotaScope } from '../accounts/quotas.ts';
import type { Quotas } from '../domain/api/quotas.ts';
import type { Actor } from '../domain/users/actor.ts';
import type { Keyring } from '../domain/security/encryption.ts';
import type { LinkKey } from '../domain/security/signed-links.ts';
import type { ComputePool } from '../compute/pool.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import type { Db } from '../queries/connection/database.ts';
import type { CancelReason } from '../queries/deliveries/deliveries.ts';
import type { WebhookTester } from '../domain/notifications/webhook-test.ts';
import type { ChangeFeed } from '../streams/change-feed.ts';
import type { EventFeed } from '../streams/event-feed.ts';

/** What operations need of the rest of the program, composed once for each process in src/compose. */
export interface Services {
  readonly db: Db;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Encrypts webhook secrets. */
  readonly keyring: Keyring;
  /** Signs resolution links. */
  readonly linkKey: LinkKey;
  /** CIDR blocks that deliveries may reach although they are private. */
  readonly allowedNetworks: readonly string[];
  /** What partners without quotas of their own may have. */
  readonly quotas: Quotas;
  /** Whether simulated devices have planned faults. */
  readonly simulatorFaults: boolean;
  /** Sends a test message at once; never rejects for what the endpoint does. */
  readonly testWebhook: WebhookTester;
  /** A user's role changed, or the user or application is gone: its tokens are read anew. Call it after the commit. */
  readonly invalidateCachedTokensOf: (userOrApplicationId: string) => void;
  /** Counts deliveries that were dropped: by a change of their webhook, or because too many are pending. */
  readonly countCancelled: (reason: CancelReason, count: number) => void;
  /** Threads for heavy computations. */
  readonly compute: ComputePool;
  /** Turns of the event loop for long computations. For a request it rejects once nobody waits for the answer. */
  readonly yieldToEventLoop: YieldToEventLoop;
  /** News for open event streams. */
  readonly events: EventFeed;
  /** Tells open pages of what no message tells. */
  readonly changes: ChangeFeed;
  /** Tells the dispatcher and the open event streams of these organizations of new messages. Call it after the commit. */
  readonly wakeDispatcher: (orgIds: readonly string[]) => void;
  /** Tells the open pages of these organizations in all processes that something has changed. Call it after the commit. */
  readonly announceChange: (orgIds: readonly string[]) => void;
  /** Tells the fleet runner that a fleet has work. Call it after the commit. */
  readonly wakeFleets: () => void;
}

/** An operation without a token. */
export interface OpenContext extends Services {
  /** When the operation began. */
  readonly now: Date;
  /** For what must be known behind a wait: what comes in counts from when it has its locks. */
  readonly clock: () => Date;
  readonly requestId: string;
  /** Waits for what is of no use once nobody waits for the answer: it rejects then. Left out, it is waited for in any case. */
  readonly whileWanted?: WhileWanted;
}

export type WhileWanted = <Result>(wait: (signal?: AbortSignal) => Promise<Result>) => Promise<Result>;

/** An operation with a token, in an organization that the token reaches. */
export interface Context extends OpenContext {
  readonly actor: Actor;
  /** The organization of the path; the token's own where the path has none. */
  readonly orgId: string;
  /** Called before heavy work is waited for, where who calls holds something that others need meanwhile; it does not throw. */
  readonly stepAside?: () => void;
}

/** Whose quotas the call counts against. */
export function quotaScope({ actor, quotas }: Context): QuotaScope {
  return { partnerId: actor.partnerId, quotas };
}
