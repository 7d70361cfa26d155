import type { IncomingMessage, RequestListener } from 'node:http';
import { Registry } from 'prom-client';
import type { Route } from '../../generated/routes.ts';
import type { RateLimits } from '../config/rate-limits.ts';
import { createApiApp } from '../http/app.ts';
import { CrossOrigin } from '../http/cross-origin.ts';
import { sendErrorPage } from '../portal/error-page.ts';
import { createSharedCoding } from '../http/coding-shares.ts';
import { QuotaCounters } from '../http/quota-counters.ts';
import { RateLimiter } from '../http/rate-limiter.ts';
import type { RequestLog } from '../http/request-log.ts';
import { ProvenClients } from '../http/proven-clients.ts';
import { RefusalDelay } from '../http/refusal-delay.ts';
import type { RefusalDelayOptions } from '../http/refusal-delay.ts';
import type { OpenBodyLimits } from '../http/open-bodies.ts';
import type { OperationOptions } from '../http/operation-handler.ts';
import { createAddressFinder } from '../http/trusted-proxies.ts';
import type { Log } from '../log/log.ts';
import { createOAuthEndpoints } from './oauth-endpoints.ts';
import { createPages } from './pages.ts';
import { createFinder, createSessionFinder, takeTurns } from './turns.ts';
import type { FindCaller } from './turns.ts';
import { createAuthenticator } from '../oauth/authenticate.ts';
import type { Authenticator } from '../oauth/authenticate.ts';
import { createSessionMemory } from '../accounts/sessions.ts';
import { createAccountVerifier } from '../accounts/sign-in.ts';
import type { HashingTurns } from '../accounts/sign-in.ts';
import { buildAuthorizationServerMetadata } from '../oauth/metadata.ts';
import type { SecretUseWriter } from './secret-uses.ts';
import type { Handler } from '../contract/handlers.ts';
import type { OpenContext, Services } from '../operations/context.ts';
import { findRuleErrors } from '../operations/body-rules.ts';
import { IdempotentAnswers } from '../operations/idempotency.ts';
import {
  bytesHandlers,
  bytesWithoutTurn,
  existenceChecks,
  openHandlers,
  securedHandlers,
} from '../operations/handlers.ts';
import type { PasswordHasher } from '../domain/security/passwords.ts';
import { kindOf } from '../domain/security/quota-subjects.ts';
import { FairShare, REFUSE_AFTER_MS } from '../shares/fair-share.ts';
import { ListTurns } from '../shares/list-turns.ts';
import type { RecentPartners } from '../shares/recent-partners.ts';
import { createTurns } from '../shares/stranger-turns.ts';
import { TokenChecks } from '../streams/token-checks.ts';
import { isDatabaseUnavailable, violatedConstraint } from '../queries/connection/database.ts';
import type { Db } from '../queries/connection/database.ts';
import { assignRequestToPartner, runInRequestScope } from '../queries/connection/request-scope.ts';
import { normaliseUsername } from '../queries/accounts/accounts.ts';
import { isOrganizationReachable } from '../queries/accounts/organizations.ts';
import { addQuotaUses } from '../queries/accounts/rate-limits.ts';

/**
 * Password hashes at once, with 32 MiB and a thread for some 0.2 s each. Callers of a partner, or of an address, that wait behind
 * these are answered within their 2 s. All addresses of which nothing is known have one of the two.
 */
const PASSWORD_HASHES = { capacity: 2, maxWaiting: 6, refuseAfterMs: REFUSE_AFTER_MS } as const;
/** Look-ups at once of tokens and sessions that this process has not seen; two of them for one address, so that a flood takes no more. */
const CREDENTIAL_LOOKUPS = { capacity: 4, asOfRight: 2, atMost: 2, maxWaiting: 200 } as const;

/** Streamed lists that have begun: each has a page of rows before it, some 100 kB. Of 32 partners none waits for another's readers. */
const STREAMED_LISTS = {
  capacity: 512,
  asOfRight: 16,
  atMost: 16,
  maxWaiting: 16,
  refuseAfterMs: REFUSE_AFTER_MS,
};

export interface ApiOptions {
  readonly db: Db;
  /** For what many requests share, so that it comes from no partner's share. */
  readonly background: Db;
  /** For the checks of the tokens of open event streams: a connection that nobody else takes. */
  readonly checks: Db;
  /** Until when credentials and links may come that do not name their organization; none do unless it is given. */
  readonly olderFormatUntil?: Date | undefined;
  /** All that a request may wait for the database; 4.5 s unless it is given. */
  readonly requestDatabaseMs?: number | undefined;
  /** Made once the authenticator is there, which has to forget tokens of changed users. */
  readonly services: (invalidateCachedTokensOf: Services['invalidateCachedTokensOf']) => Services;
  readonly passwordHasher: PasswordHasher;
  readonly clock: () => Date;
  /** What requests leave for the developers of their partners. */
  readonly requestLog: RequestLog;
  /** When secrets of applications were last used; nowhere unless it is given. */
  readonly secretUses?: SecretUseWriter;
  readonly rateLimits: RateLimits;
  readonly trustedProxies: readonly string[];
  /** Who sends requests to this process, of which its connections know as well. */
  readonly recentPartners: Pick<RecentPartners, 'note' | 'hasOthers'>;
  /** Origins whose scripts may call; none unless it is given. */
  readonly allowedOrigins?: readonly string[];
  /** How strangers who are refused again and again are slowed down. */
  readonly refusalDelay?: Partial<Omit<RefusalDelayOptions, 'isPartner'>> | undefined;
  readonly log: Log;
  readonly registry?: Registry;
  /** Why the process cannot serve now, beside a database that does not answer. */
  readonly findNotReadyReason: () => Promise<string | undefined>;
  readonly hasMetricsElsewhere?: boolean;
  /** Milliseconds between two checks of the tokens of open event streams. */
  readonly tokenCheckMs?: number;
  /** How long a body that holds its partner's turn may take in all; 10 s unless it is given. */
  readonly bodyInTurnMs?: number | undefined;
  /** How long a body may bring nothing, and how many may be open; OPEN_BODY_LIMITS unless they are given. */
  readonly openBodyLimits?: OpenBodyLimits | undefined;
  /** The operations; those of the document unless others are given. */
  readonly routes?: readonly Route[] | undefined;
}

const monotonicMs = (): number => performance.now();

export interface ComposedApi {
  readonly listener: RequestListener;
  /** Whose turn a request takes. */
  readonly findCaller: FindCaller;
}

/** Binds operations, token endpoints and pages to the HTTP surface, behind the turns of callers. */
export function composeApi(options: ApiOptions): ComposedApi {
  const { db, checks, clock, log, recentPartners } = options;
  const lookups = new FairShare(CREDENTIAL_LOOKUPS);
  const { olderFormatUntil } = options;
  const authenticator = createAuthenticator({ db, checks, clock, turns: lookups, olderFormatUntil });
  const provenClients = new ProvenClients(monotonicMs);
  const sessions = createSessionMemory(db, { turns: lookups, monotonicMs, olderFormatUntil });
  const services = options.services((id) => {
    authenticator.invalidateCachedTokensOf(id);
    for (const each of [sessions, provenClients]) each.endAllOf(id);
  });
  const { baseUrl } = services;
  const hashing = createHashingTurns(options.passwordHasher);
  const verifyAccount = createAccountVerifier(db, hashing);
  const limiter = new RateLimiter(options.rateLimits, createQuotaCounters(options));
  const findAddress = createAddressFinder(options.trustedProxies);
  const findCaller = createFinder({ findAddress, authenticator, provenClients, sessions });
  const isPartner = (request: IncomingMessage): boolean => kindOf(findCaller(request)) === 'partner';
  const refusalDelay = new RefusalDelay({ isPartner, monotonicMs, ...options.refusalDelay });
  const shared = { services, limiter, clock, log, refusalDelay, answerOnce: createAnswerOnce() };
  const app = createApiApp({
    ...shared,
    requestLog: options.requestLog,
    baseUrl,
    isUnavailable: isDatabaseUnavailable,
    runInRequestScope: (isAnswering, handle, addressOf) =>
      runInRequestScope(isAnswering, handle, options.requestDatabaseMs, addressOf),
    assignToPartner: (partnerId) => {
      recentPartners.note(partnerId);
      assignRequestToPartner(partnerId);
    },
    isOrganizationGone: (error) => violatedConstraint(error)?.endsWith('_org_fkey') === true,
    provenClients,
    isPartner,
    findSession: createSessionFinder(sessions),
    findRuleErrors,
    existenceChecks,
    bytesHandlers,
    bytesWithoutTurn,
    ...pickHttpOptions(options),
    securedHandlers,
    ...createShares(recentPartners),
    tokenChecks: createTokenChecks(options, authenticator),
    openHandlers: { ...openHandlers, getAuthorizationServerMetadata: answerMetadata(baseUrl) },
    findAddress,
    registry: options.registry ?? new Registry(),
    monotonicMs,
    findNotReadyReason: options.findNotReadyReason,
    hasMetricsElsewhere: options.hasMetricsElsewhere ?? false,
    authenticate: (authorization, findAddress) => authenticator.authenticate(authorization, findAddress),
    // The partner's admin and staff keep their roles in its simulation organizations; its users have none there.
    isOrganizationReachable: async (actor, orgId) =>
      actor.role !== 'user' && (await isOrganizationReachable(db, actor.orgId, orgId)),
    normaliseUsername: (username) => normaliseUsername(db, username),
    oauth: createOAuthEndpoints(options, authenticator, verifyAccount),
    pages: createPages({ ...shared, recentPartners, verifyAccount, hashing, sessions, olderFormatUntil }),
  });
  return { listener: takeTurns(app, baseUrl, findCaller), findCaller };
}

function pickHttpOptions({ allowedOrigins = [], bodyInTurnMs, openBodyLimits, routes }: ApiOptions) {
  return {
    crossOrigin: new CrossOrigin(allowedOrigins),
    sendErrorPage,
    bodyInTurnMs,
    openBodyLimits,
    routes,
  };
}

const answerMetadata =
  (baseUrl: string): Handler<OpenContext, 'getAuthorizationServerMetadata'> =>
  () =>
    Promise.resolve({ status: 200, body: buildAuthorizationServerMetadata(baseUrl) });

function createAnswerOnce(): OperationOptions['answerOnce'] {
  const answers = new IdempotentAnswers(monotonicMs);
  return (context, request, run) => answers.answer(context, request, run);
}

function createHashingTurns(hasher: PasswordHasher): HashingTurns {
  const turns = createTurns(PASSWORD_HASHES);
  return { run: (caller, work) => turns.run(caller, () => work(hasher)) };
}

function createShares(
  recentPartners: ApiOptions['recentPartners'],
): Pick<OperationOptions, 'sharedLists' | 'sharedCoding'> {
  const sharedLists = {
    turns: new ListTurns({ recentPartners, monotonicMs }),
    streams: new FairShare(STREAMED_LISTS),
  };
  return { sharedLists, sharedCoding: createSharedCoding() };
}

function createQuotaCounters({ background, clock, log }: ApiOptions): QuotaCounters {
  return new QuotaCounters({
    clock: () => clock().getTime(),
    exchange: (uses) => addQuotaUses(background, uses),
    onExchangeFailed: (error) =>
      log.warn('Rate limits count in this process alone: the counts of others cannot be had.', { error }),
  });
}

function createTokenChecks({ log, tokenCheckMs }: ApiOptions, authenticator: Authenticator): TokenChecks {
  return new TokenChecks({
    findActors: (actors) => authenticator.findActors(actors),
    onError: (error) =>
      log.warn('Tokens of open event streams could not be checked; tried again.', { error }),
    ...(tokenCheckMs === undefined ? {} : { intervalMs: tokenCheckMs }),
  });
}
