import type { Request, Response } from 'express';
import type { Secret } from '../domain/security/secret.ts';
import type { Db } from '../queries/connection/database.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';

/** Whether one more call of this subject is within the policy, and otherwise when the next one will be. */
type Throttle = (
  policy: 'login',
  subject: string,
) => Promise<{ readonly allowed: boolean; readonly retryAfterSeconds: number }>;

export interface PortalLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Undefined when the organization has no user with this email. */
type IssueInitialPassword = (
  db: Db,
  user: { readonly orgId: string; readonly email: string },
  now: Date,
) => Promise<{ readonly username: string; readonly password: Secret } | undefined>;

/** What the portal needs from outside. */
export interface PortalContext {
  readonly db: Db;
  readonly clock: () => Date;
  /** The address under which browsers reach the service; https makes the cookies Secure. */
  readonly baseUrl: string;
  readonly throttle: Throttle;
  readonly issueInitialPassword: IssueInitialPassword;
  /** An application is gone: its tokens end at once. Called after the commit. */
  readonly invalidateCachedTokensOf: (applicationId: string) => void;
  readonly log: PortalLog;
}

/** A response of the portal: the guards leave the session here. */
export type PortalResponse = Response<unknown, { session?: PortalSession }>;

export type PageHandler = (request: Request, response: PortalResponse) => Promise<void> | void;

/** The session of a page behind `signedIn`. */
export function getSession(response: PortalResponse): PortalSession {
  const { session } = response.locals;
  if (session === undefined) throw new Error('The page is not behind the sign-in guard.');
  return session;
}
