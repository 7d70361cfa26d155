import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import type { Role } from '../../src/domain/users/roles.ts';
import { accountVerifier, unlimitedHashing } from '../support/verifier.ts';
import { toInitialPasswordEnd } from '../../src/accounts/passwords.ts';
import { createSessionMemory } from '../../src/accounts/sessions.ts';
import { createPortal } from '../../src/portal/portal.ts';
import { createPageTurns, createPlacesAside } from '../../src/compose/pages.ts';
import { createPortalReads } from '../../src/compose/portal-reads.ts';
import type { Services } from '../../src/operations/context.ts';
import { IdempotentAnswers } from '../../src/operations/idempotency.ts';
import { isDatabaseUnavailable } from '../../src/queries/connection/database.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { normaliseUsername } from '../../src/queries/accounts/accounts.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { QuotaCounters } from '../../src/http/quota-counters.ts';
import { RateLimiter } from '../../src/http/rate-limiter.ts';
import { addQuotaUses } from '../../src/queries/accounts/rate-limits.ts';
import { TestClock } from '../support/clock.ts';
import { startServices } from '../support/services.ts';
import type { FairShare } from '../../src/shares/fair-share.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { hashCheaply } from '../support/password-hashes.ts';
import { insertNamedUser } from '../support/usernames.ts';
import { Visitor } from './visitor.ts';

export const initialPassword = 'initial-password-1';
export const ownPassword = 'quite a long one of my own';

export interface Person {
  readonly orgId: string;
  readonly userId: string;
  readonly username: string;
}

export interface PortalSite {
  readonly db: Db;
  readonly pool: TestDatabase['pool'];
  readonly services: Services;
  /** Turns of partners for pages. */
  readonly pageTurns: FairShare;
  readonly placesAside: FairShare;
  readonly baseUrl: string;
  /** Applications whose tokens ended. */
  readonly forgotten: string[];
  /** Usernames whose passwords were looked at, in turn. */
  readonly verified: string[];
  /** Whether their browsers were known to be the account's, in turn; undefined for a person who is signed in. */
  readonly knownBrowsers: (boolean | undefined)[];
  /** What the portal logged, as text. */
  readonly logged: string[];
  /** The portal's clock, which moves a millisecond with each look. */
  readonly now: () => Date;
  /** Moves the portal's clock. */
  advance(milliseconds: number): void;
  visitor(): Visitor;
  addOrganization(name?: string): Promise<string>;
  /** A person who has to change the password first, or one who has done it. */
  addPerson(orgId: string, role: Role, hasOwnPassword?: boolean): Promise<Person>;
  /** A visitor who is signed in with an own password. */
  signedIn(person: Person): Promise<Visitor>;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Where the portal's clock starts. */
  readonly startsAt?: Date;
  readonly publicUrl?: string;
  /** Failures of an account together with an address in a minute. */
  readonly quota?: number;
  /** Applications that a partner may have. */
  readonly applications?: number;
  /** Failures of an address in a minute. */
  readonly addressQuota?: number;
  /** Requests of a partner's people in a minute. */
  readonly partnerQuota?: number;
  /** Failures of each account in an hour, from browsers that are not known. */
  readonly accountQuota?: number;
  /** Turns of addresses for sessions of which nothing is known. */
  readonly lookupTurns?: Parameters<typeof createSessionMemory>[1]['turns'];
  /** Lets strangers wait who are refused again and again; nobody waits unless it is given. */
  readonly slowDown?: () => Promise<void>;
  /** How pages give way to others. */
  readonly yieldToEventLoop?: Services['yieldToEventLoop'];
  /** Whether no partner is alone at work. */
  readonly hasOtherPartners?: () => boolean;
}

/** The portal on a real port, with a database of its own and a clock that moves a millisecond with each look. */
export async function startPortal({
  startsAt = new Date(),
  publicUrl,
  quota = 1000,
  addressQuota = 1000,
  applications = 1000,
  accountQuota = 1000,
  partnerQuota = 1000,
  lookupTurns,
  slowDown = () => Promise.resolve(),
  yieldToEventLoop,
  hasOtherPartners = () => false,
}: SiteOptions = {}): Promise<PortalSite> {
  const database = await testDatabase();
  const { db } = database;
  const logged: string[] = [];
  const forgotten: string[] = [];
  const testClock = new TestClock(startsAt);
  const clock = (): Date => {
    testClock.advance(1);
    return testClock.now();
  };
  const note = (message: string, fields?: object): void => {
    logged.push(
      `${message} ${JSON.stringify(fields)} ${String((fields as { error?: unknown } | undefined)?.error)}`,
    );
  };
  const counters = new QuotaCounters({
    clock: () => clock().getTime(),
    exchange: (uses) => addQuotaUses(db, uses),
    onExchangeFailed: (error) => note('No exchange.', { error }),
  });
  const limits = {
    ...DEFAULT_RATE_LIMITS,
    partner: { quota: partnerQuota, windowSeconds: 60 },
    login: { quota, windowSeconds: 60 },
    login_address: { quota: addressQuota, windowSeconds: 60 },
    login_account: { quota: accountQuota, windowSeconds: 3_600 },
  };
  const limiter = new RateLimiter(limits, counters);
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { services, stop } = startServices(db, publicUrl ?? baseUrl, randomBytes(32));
  const answers = new IdempotentAnswers(() => performance.now());
  const pageTurns = createPageTurns({ hasOthers: hasOtherPartners });
  const placesAside = createPlacesAside();
  const verified: string[] = [];
  const knownBrowsers: (boolean | undefined)[] = [];
  const verify = accountVerifier(db);
  app.disable('x-powered-by').enable('case sensitive routing').set('query parser', false);
  app.use(
    createPortal({
      ...services,
      reads: createPortalReads(db),
      clock,
      pageTurns,
      placesAside,
      sessions: createSessionMemory(db, { turns: lookupTurns, monotonicMs: () => performance.now() }),
      verifyAccount: (username, password, caller) => {
        verified.push(username);
        knownBrowsers.push('partnerId' in caller ? undefined : caller.isKnownBrowser);
        return verify(username, password);
      },
      hashing: unlimitedHashing,
      normaliseUsername: (username) => normaliseUsername(db, username),
      isUnavailable: isDatabaseUnavailable,
      invalidateCachedTokensOf: (id) => forgotten.push(id),
      log: { info: note, warn: note, error: note },
      answerOnce: (context, asked, run) => answers.answer(context, asked, run),
      countUse: (policy, subject) => limiter.countUse(policy, subject),
      countByPartner: (response, partnerId) => limiter.countByPartner(response, partnerId),
      slowDown,
      quotas: { ...DEFAULT_QUOTAS, applications },
      yieldToEventLoop: yieldToEventLoop ?? services.yieldToEventLoop,
    }),
  );
  const visitor = (): Visitor => new Visitor(baseUrl);

  return {
    db,
    pool: database.pool,
    services,
    pageTurns,
    placesAside,
    baseUrl,
    logged,
    verified,
    knownBrowsers,
    forgotten,
    visitor,
    now: clock,
    advance: (milliseconds) => testClock.advance(milliseconds),
    addOrganization: async (name = 'Sun & Sons <b>') => {
      const id = randomUUID();
      await insertOrganization(db, { id, name, kind: 'partner', parentOrgId: null, createdAt: clock() });
      return id;
    },
    addPerson: async (orgId, role, hasOwnPassword = true) => {
      const userId = randomUUID();
      const username = `${role}-${userId.slice(0, 8)}@example.com`;
      await insertNamedUser(db, {
        org_id: orgId,
        id: userId,
        email: username,
        role,
        username,
        password_hash: hashCheaply(hasOwnPassword ? ownPassword : initialPassword),
        password_change_required: !hasOwnPassword,
        initial_password_expires_at: hasOwnPassword ? null : toInitialPasswordEnd(clock()),
        created_at: clock(),
        updated_at: clock(),
      });
      return { orgId, userId, username };
    },
    signedIn: async (person) => {
      const browser = visitor();
      const answer = await browser.login(person.username, ownPassword);
      if (answer.status !== 303) throw new Error(`Login was answered ${answer.status}.`);
      return browser;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stop();
      await database.close();
    },
  };
}
