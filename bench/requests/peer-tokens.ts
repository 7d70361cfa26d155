// How the peer knows its callers: tokens by digest in the service's table, and remembered as long as the service does.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ROLE_TABLE } from '../../src/domain/users/roles.ts';
import type { PeerQueries, PeerToken } from './peer-queries.ts';

const CACHE_LIFETIME_MS = 900;
const MAX_CACHED_TOKENS = 10_000;
const TOKEN_SECONDS = 36_000;

/** What is answered in place of a result. */
export class HttpError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Throws 401 or 403 unless the request's token may call the operation in the organization. */
export type TokenCheck = (
  request: FastifyRequest,
  orgId: string,
  operation: 'getUser' | 'listUsers' | 'createUser',
) => Promise<void>;

export function createTokenCheck(queries: PeerQueries): TokenCheck {
  const known = new LRUCache<string, Promise<PeerToken | undefined>>({
    max: MAX_CACHED_TOKENS,
    ttl: CACHE_LIFETIME_MS,
  });
  return async (request, orgId, operation) => {
    const [, token] = /^bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined) throw new HttpError(401, 'A bearer token is missing.');
    const digest = hash('sha256', token, 'hex');
    const reading = known.get(digest) ?? queries.findToken(Buffer.from(digest, 'hex'));
    known.set(digest, reading, { noUpdateTTL: true });
    const active = await reading;
    if (active === undefined || active.expires_at <= new Date())
      throw new HttpError(401, 'The token is unknown.');
    if (active.org_id !== orgId) throw new HttpError(403, 'The token gives no access to this organization.');
    const mayWrite = request.method === 'GET' || active.scope.split(' ').includes('write');
    // The bench asks as an admin, who sees all.
    if (ROLE_TABLE[operation][active.role] !== 'all' || !mayWrite)
      throw new HttpError(403, `The role ${active.role} may not call ${operation}.`);
  };
}

/** A token for the client of the header, by the grant client_credentials. */
export async function issueToken(
  queries: PeerQueries,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { grant_type: grant } = request.body as { readonly grant_type?: unknown };
  const [, encoded = ''] = /^basic +([a-z0-9+/]+={0,2})$/i.exec(request.headers.authorization ?? '') ?? [];
  const [clientId = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const client = await queries.findClient(decodeURIComponent(clientId));
  const digest = hash('sha256', decodeURIComponent(secret), 'buffer');
  if (client === undefined || !timingSafeEqual(digest, client.secret_hash))
    throw new HttpError(401, 'The client is unknown or its secret is wrong.');
  if (grant !== 'client_credentials') throw new HttpError(400, 'The grant is not supported.');
  const token = `pat_${randomBytes(32).toString('base64url')}`;
  await queries.insertToken(client, hash('sha256', token, 'buffer'), TOKEN_SECONDS);
  reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  return { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer', scope: 'read write' };
}
