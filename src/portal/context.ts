import type { Request, Response } from 'express';
import type { Quotas } from '../domain/api/quotas.ts';
import type { AccountsDatabase, PortalSession, SessionMemory } from '../accounts/sessions.ts';
import type { LoginUse } from '../domain/security/login-subjects.ts';
import type { LinkKey } from '../domain/security/signed-links.ts';
import type { HashingTurns, VerifyAccount } from '../accounts/sign-in.ts';
import type { PortalCookies } from './cookies.ts';

/** Counts one call of this subject: whether it is within the policy, otherwise when the next one will be, and how to undo it. */
type CountUse = (
  policy: LoginUse['policy'],
  subject: LoginUse['subject'],
) => Promise<{
  readonly isAllowed: boolean;
  readonly retryAfterSeconds: number;
  readonly giveBack: () => void;
}>;

export interface PortalLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What the portal needs from outside. */
export interface PortalOptions {
  readonly db: AccountsDatabase;
  readonly clock: () => Date;
  /** The address under which browsers reach the service; https makes the cookies Secure. */
  readonly baseUrl: string;
  readonly countUse: CountUse;
  /** Counts a request of a person who is signed in for the partner. Throws the problem quota_exceeded. */
  readonly countByPartner: (response: Response, partnerId: string) => Promise<void>;
  readonly sessions: SessionMemory;
  /** Lets a stranger wait whose cookies are made up again and again. */
  readonly slowDown: (request: Request, response: Response) => Promise<void>;
  readonly verifyAccount: VerifyAccount;
  /** A username as the database compares it. */
  readonly normaliseUsername: (username: string) => Promise<string>;
  /** Signs what a browser keeps that has signed in. */
  readonly linkKey: LinkKey;
  /** Turns of a partner's people for hashing new passwords. */
  readonly hashing: HashingTurns;
  /** Tokens of a user or of an application have ended. Called after the commit. */
  readonly invalidateCachedTokensOf: (userOrApplicationId: string) => void;
  /** What partners without quotas of their own may have. */
  readonly quotas: Quotas;
  /** True for an error that says that the database cannot be reached now. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly log: PortalLog;
}

/** What every page is given. */
export interface PortalContext extends PortalOptions {
  readonly cookies: PortalCookies;
}

/** A response of the portal: loadSession leaves the session here. */
export type PortalResponse = Response<unknown, { session?: PortalSession }>;

/** Answers a request for one page. */
export type PageHandler = (
  context: PortalContext,
  request: Request,
  response: PortalResponse,
) => Promise<void> | void;

/**
 * The session of a page behind the guard requireSession.
 * @throws Error when the page is not behind it.
 */
export function getSession(response: PortalResponse): PortalSession {
  const { session } = response.locals;
  if (session === undefined) throw new Error('The page is not behind the guard requireSession.');
  return session;
}
