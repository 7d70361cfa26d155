import { randomBytes } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/api/durations.ts';
import { CredentialMemory } from '../shares/credential-memory.ts';
import type { CredentialMemoryOptions, FoundCredential } from '../shares/credential-memory.ts';
import {
  newOrganizationCredential,
  readOrganizationId,
  sha256Digest,
} from '../domain/security/credentials.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { lockUnchangedPassword } from '../queries/accounts/accounts.ts';
import type { AccountKey } from '../queries/accounts/accounts.ts';
import type { VerifiedAccount } from './sign-in.ts';
import type { Db } from '../queries/connection/database.ts';
import {
  deletePortalSession,
  deletePortalSessionsBeyond,
  findPortalSession,
  findPortalSessionOfOlderFormat,
  insertPortalSession,
  updatePortalSessionEnd,
} from '../queries/accounts/portal-sessions.ts';
import type { PortalSession } from '../queries/accounts/portal-sessions.ts';
import { assignRequestToPartner } from '../queries/connection/request-scope.ts';

export type { PortalSession } from '../queries/accounts/portal-sessions.ts';

/** A portal session lasts seven days at most. */
export const SESSION_LIFETIME_MS = 7 * DAY_MS;
/** It ends before when it is not used for so long. */
const SESSION_IDLE_MS = 12 * HOUR_MS;
/** Uses closer together than this are one: a page then costs no write. */
const SESSION_USE_MS = MINUTE_MS;

/** Sessions of a person, so that signing in again and again does not fill the table: beyond, those end that would end first. */
const MAX_SESSIONS = 100;

/** 256 random bits in base64url: a form's CSRF token. */
export function newFormToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Stores a new session of a person and resolves to its cookie's value, of which only the SHA-256 is stored. */
export async function createSession(db: Db, person: AccountKey, now: Date): Promise<string> {
  const token = newOrganizationCredential(person.orgId);
  await insertPortalSession(db, {
    orgId: person.orgId,
    userId: person.userId,
    sessionHash: sha256Digest(token),
    csrfSecret: newFormToken(),
    createdAt: now,
    expiresAt: toSessionEnd(now, now),
  });
  return token;
}

/**
 * The session of somebody who has just signed in: ends the session that the browser had before, and resolves to the new
 * cookie's value. Undefined when the password was changed meanwhile.
 */
export async function replaceSession(
  db: Db,
  person: VerifiedAccount,
  previous: OpenSession | undefined,
  now: Date,
): Promise<string | undefined> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockUnchangedPassword(tx, person, person.passwordHash.reveal()))) return undefined;
    if (previous !== undefined) await endSession(tx, previous);
    const token = await createSession(tx, person, now);
    await deletePortalSessionsBeyond(tx, person, MAX_SESSIONS);
    return token;
  });
}

/** What a process remembers of sessions: whose they are, and of cookies that nobody was given that they are unknown, for 0.9 s. */
export interface SessionMemory {
  /**
   * Finds the session with a cookie's value, which is used with that; undefined when it is unknown or expired, its user is deleted,
   * or its partner is suspended. From then on the request takes its connections from the partner's share; one that is remembered
   * is looked up in that share too, one of which nothing is known in the turn of the address. Throws the problem overloaded (503)
   * when too many callers of the address wait.
   */
  readonly find: (token: string, address: string, now: Date) => Promise<PortalSession | undefined>;
  /** The partner of a cookie's value that this process has found right within a minute: nothing is read. */
  readonly findProvenPartner: (token: string) => string | undefined;
  /** Under what the requests with such a value are counted; undefined when this process has not seen it. */
  readonly findSubject: (token: string) => QuotaSubject | undefined;
  /** This process has begun the session with this cookie's value, and committed it, for a person of the partner. */
  readonly remember: (token: string, person: SessionOwner) => void;
  /** The session with this cookie's value was ended: it has no partner's turn any more. */
  readonly end: (token: string) => void;
  /** The same for every session of a user, until it is found again. */
  readonly endAllOf: (userId: string) => void;
}

type SessionOwner = Pick<PortalSession, 'partnerId' | 'userId'>;

interface SessionMemoryOptions extends Pick<CredentialMemoryOptions, 'turns' | 'monotonicMs'> {
  /** Until when cookies may come that do not name their organization; none do unless it is given. */
  readonly olderFormatUntil?: Date | undefined;
}

/** A memory of the sessions of this database, empty. */
export function createSessionMemory(
  db: Db,
  { turns, monotonicMs, olderFormatUntil }: SessionMemoryOptions,
): SessionMemory {
  const memory = new CredentialMemory({ turns, monotonicMs });
  const select = async (
    orgId: string | undefined,
    sessionHash: Buffer,
    now: Date,
  ): Promise<PortalSession | undefined> => {
    const session =
      orgId === undefined ? undefined : await findPortalSession(db, { orgId, sessionHash }, now);
    if (session !== undefined || olderFormatUntil === undefined || now >= olderFormatUntil) return session;
    return findPortalSessionOfOlderFormat(db, sessionHash, now);
  };
  const read = async (token: string, digest: Buffer, now: Date): Promise<PortalSession | undefined> => {
    const key = digest.toString('hex');
    if (memory.isUnknown(key)) return undefined;
    const startedMs = monotonicMs();
    const partnerId = memory.findPartner(key);
    if (partnerId !== undefined) assignRequestToPartner(partnerId);
    const session = await select(readOrganizationId(token), digest, now);
    if (session === undefined) memory.rememberUnknown(key, startedMs);
    else memory.remember(key, toFound(session, now), startedMs);
    return session;
  };
  return {
    async find(token, address, now) {
      const digest = sha256Digest(token);
      const key = digest.toString('hex');
      const session = await memory.lookUp(key, address, () => read(token, digest, now));
      if (session === undefined || session.isSuspended) return undefined;
      assignRequestToPartner(session.partnerId);
      const end = toSessionEnd(session.times.createdAt, now);
      if (end.getTime() - session.times.expiresAt.getTime() >= SESSION_USE_MS)
        await updatePortalSessionEnd(db, { orgId: session.orgId, sessionHash: digest }, end);
      return session;
    },
    findProvenPartner: (token) => memory.findProvenPartner(toKey(token)),
    findSubject: (token) => {
      const key = toKey(token);
      return memory.findPartner(key) === undefined ? undefined : `session ${key}`;
    },
    remember: (token, { partnerId, userId }) =>
      memory.remember(toKey(token), { partnerId, endsWith: [userId], leftMs: SESSION_IDLE_MS }),
    end: (token) => memory.end(toKey(token)),
    endAllOf: (userId) => memory.endAllOf(userId),
  };
}

const toKey = (token: string): string => sha256Digest(token).toString('hex');

function toFound({ partnerId, userId, isSuspended, times }: PortalSession, now: Date): FoundCredential {
  const leftMs = isSuspended ? 0 : times.expiresAt.getTime() - now.getTime();
  return { partnerId, leftMs, endsWith: [userId] };
}

function toSessionEnd(createdAt: Date, usedAt: Date): Date {
  return new Date(Math.min(createdAt.getTime() + SESSION_LIFETIME_MS, usedAt.getTime() + SESSION_IDLE_MS));
}

/** A session by the value of its cookie. */
export interface OpenSession {
  readonly token: string;
  /** Of the session where that was found; otherwise the cookie names it. */
  readonly orgId?: string | undefined;
}

/** Ends the session, if there is one. */
export async function endSession(
  db: Db,
  { token, orgId = readOrganizationId(token) }: OpenSession,
): Promise<void> {
  if (orgId !== undefined) await deletePortalSession(db, { orgId, sessionHash: sha256Digest(token) });
}
