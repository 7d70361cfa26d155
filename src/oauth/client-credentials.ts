import OAuth2Server from '@node-oauth/oauth2-server';
import { LRUCache } from 'lru-cache';
import { matchesDigest, sha256Digest } from '../domain/security/credentials.ts';
import { findClient } from '../queries/accounts/clients.ts';
import type { Client } from '../queries/accounts/clients.ts';
import { findOrganizationOfClient } from '../queries/accounts/names.ts';
import { inBatches } from '../queries/connection/batches.ts';
import type { FoundCredential } from '../shares/credential-memory.ts';
import type { Db } from '../queries/connection/database.ts';
import { assignRequestToPartner } from '../queries/connection/request-scope.ts';
import type { OAuthRequest, OAuthParameters } from './exchange.ts';
import { parseOAuthParameters } from './exchange.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

const BASIC_PATTERN = /^basic +([a-z0-9+/]+={0,2})$/i;
/** VSCHAR of RFC 6749, appendix A: what a client id and a secret may be made of. */
const VSCHAR_PATTERN = /^[ -~]+$/;
/** Compared with where there is no such client, so that both cases take the same time; no secret has this digest. */
const UNKNOWN_CLIENT_DIGEST = Buffer.alloc(32);

/**
 * The client's credentials from the header (client_secret_basic) or the body (client_secret_post). Throws
 * invalid_request when both were used and invalid_client when there are none or they cannot be read.
 */
export function parseClientCredentials(
  authorization: string | undefined,
  parameters: OAuthParameters,
): ClientCredentials {
  const bodyId = parameters.get('client_id');
  const bodySecret = parameters.get('client_secret');
  if (authorization !== undefined && bodySecret !== undefined) {
    throw new OAuth2Server.InvalidRequestError(
      'Send the client credentials in the Authorization header or in the body, not in both.',
    );
  }
  const credentials =
    authorization === undefined
      ? { clientId: bodyId ?? '', clientSecret: bodySecret ?? '' }
      : parseBasic(authorization);
  if (!VSCHAR_PATTERN.test(credentials.clientId) || !VSCHAR_PATTERN.test(credentials.clientSecret)) {
    throw new OAuth2Server.InvalidClientError('Client credentials are missing or malformed.');
  }
  if (bodyId !== undefined && bodyId !== credentials.clientId) {
    throw new OAuth2Server.InvalidRequestError(
      'The client_id of the body differs from that of the Authorization header.',
    );
  }
  return credentials;
}

/** The credentials that a request presents, right or wrong: their client id is the subject of the rate limit `token`. */
export function findPresentedCredentials(request: OAuthRequest): ClientCredentials | undefined {
  try {
    return parseClientCredentials(request.authorization, parseOAuthParameters(request.body));
  } catch (error) {
    if (error instanceof OAuth2Server.OAuthError) return undefined;
    throw error;
  }
}

/** A client with the digest of that of its secrets which was presented. */
export interface ProvenClient extends Client {
  readonly presentedHash: Buffer;
}

/**
 * The client one of whose secrets this is; undefined for an unknown client, a deleted owner and a wrong or ended secret alike. Once
 * it is proven the request takes its connections from its partner's share.
 */
export async function authenticateClient(
  db: Db,
  credentials: ClientCredentials,
  now: Date,
): Promise<ProvenClient | undefined> {
  const client = await findInBatches(db, credentials.clientId, credentials.clientId);
  const { clientSecret } = credentials;
  const isPresent = matchesDigest(clientSecret, client?.secretHash ?? UNKNOWN_CLIENT_DIGEST);
  // Compared whatever the first says.
  const isOlder = matchesDigest(clientSecret, findOlderSecret(client, now) ?? UNKNOWN_CLIENT_DIGEST);
  if (client === null || !(isPresent || isOlder)) return undefined;
  assignRequestToPartner(client.partnerId);
  return { ...client, presentedHash: sha256Digest(clientSecret) };
}

/** What is known of the secret that was presented. */
export function findPresentedSecret({ application, secretHash, presentedHash }: ProvenClient) {
  return presentedHash.equals(secretHash) ? application.secret : application.olderSecret;
}

/** Whose the secret is that was presented, and how long. */
export function toFound(client: ProvenClient, now: Date): FoundCredential {
  const { application, partnerId, isSuspended, secretHash, presentedHash } = client;
  const endsAt = presentedHash.equals(secretHash) ? undefined : application.olderSecret?.endsAt;
  const leftMs = endsAt === undefined ? Infinity : endsAt.getTime() - now.getTime();
  return { partnerId, leftMs: isSuspended ? 0 : leftMs, endsWith: [application.id, application.ownerUserId] };
}

/** The digest of the secret before the present one, as long as that works. */
function findOlderSecret(client: Client | null, now: Date): Buffer | null {
  const endsAt = client?.application.olderSecret?.endsAt;
  return client !== null && endsAt !== undefined && endsAt > now ? client.olderSecretHash : null;
}

/** By client id: those who name the same client at once share a read that begins after all of them have come. */
const findInBatches = inBatches<string, Client | null>({
  doTogether: async (db, clientIds) => {
    const [clientId = ''] = clientIds;
    const client = await findNamedClient(db, clientId);
    return clientIds.map(() => client);
  },
  doAlone: findNamedClient,
});

/** Whose client ids were when they were last found. One that is another organization's by now is not found there. */
const organizations = new LRUCache<string, string>({ max: 10_000 });

async function findNamedClient(db: Db, clientId: string): Promise<Client | null> {
  const knownId = organizations.get(clientId);
  const known = knownId === undefined ? undefined : await findClient(db, knownId, clientId);
  if (known !== undefined) return known;
  const orgId = await findOrganizationOfClient(db, clientId);
  const client = orgId === undefined ? undefined : await findClient(db, orgId, clientId);
  if (client !== undefined) organizations.set(clientId, client.application.orgId);
  else organizations.delete(clientId);
  return client ?? null;
}

/** RFC 7617, with id and secret form-encoded first, as RFC 6749, 2.3.1 has it. */
function parseBasic(authorization: string): ClientCredentials {
  const encoded = BASIC_PATTERN.exec(authorization)?.[1];
  if (encoded === undefined) throw malformedHeaderError();
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0) throw malformedHeaderError();
  return { clientId: formDecode(pair.slice(0, colon)), clientSecret: formDecode(pair.slice(colon + 1)) };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw malformedHeaderError(cause);
  }
}

function malformedHeaderError(cause?: unknown): Error {
  return new OAuth2Server.InvalidClientError(
    'The Authorization header must be Basic and the base64 of client_id:client_secret.',
    { cause },
  );
}
