import type { Request, Response } from 'express';
import type { PortalSession, SessionMemory } from '../accounts/sessions.ts';
import type { CreateSender } from '../html/assets.ts';
import type { LoginUse } from '../domain/security/login-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import type { HashingTurns, VerifyAccount } from '../accounts/sign-in.ts';
import type { Services } from '../operations/context.ts';
import type { IdempotentAnswers } from '../operations/idempotency.ts';
import type { PortalCookies } from './cookies.ts';
import type { Shell } from './navigation.ts';
import type { PortalReads } from './reads.ts';
import type { Scope } from './scopes.ts';

/** Counts one call of this subject: whether it is within the policy, otherwise when the next one will be, and how to undo it. */
type CountUse = (
  policy: LoginUse['policy'] | 'webhook_test' | 'broadcast',
  subject: QuotaSubject,
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

/** What the portal needs from outside: what operations are given, since pages call them, and what belongs to people. */
export interface PortalOptions extends Services {
  readonly reads: PortalReads;
  readonly clock: () => Date;
  readonly countUse: CountUse;
  /** Runs an operation once for each key of a person, or resolves to its first answer. */
  readonly answerOnce: IdempotentAnswers['answer'];
  /** Counts a request of a person who is signed in for the partner. Throws the problem quota_exceeded. */
  readonly countByPartner: (response: Response, partnerId: string) => Promise<void>;
  /** Turns of partners, whose people have so many pages made at once. Throws the problem overloaded (503), or the signal's reason. */
  readonly pageTurns: {
    readonly acquire: (partnerId: string, signal: AbortSignal) => Promise<() => void>;
  };
  /** Places of pages that wait for heavy work and leave their turn to others; undefined where all of the partner are taken. */
  readonly placesAside: {
    readonly tryAcquire: (partnerId: string) => (() => void) | undefined;
  };
  readonly sessions: SessionMemory;
  /** Lets a stranger wait whose cookies are made up again and again. */
  readonly slowDown: (request: Request, response: Response) => Promise<void>;
  readonly verifyAccount: VerifyAccount;
  /** A username as the database compares it. */
  readonly normaliseUsername: (username: string) => Promise<string>;
  /** Turns of a partner's people for hashing new passwords. */
  readonly hashing: HashingTurns;
  /** True for an error that says that the database cannot be reached now. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly log: PortalLog;
  /** Sends the files that pages load, compressed; without it they are sent as they are. */
  readonly createSender?: CreateSender;
}

/** What every page is given. */
export interface PortalContext extends PortalOptions {
  readonly cookies: PortalCookies;
}

/** A response of the portal: the guards leave here what they know of the visitor, and loadShell what is around the page. */
export type PortalResponse = Response<
  unknown,
  { session?: PortalSession; sessionReadAt?: Date; isSignedOut?: boolean; scope?: Scope; shell?: Shell }
>;

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
