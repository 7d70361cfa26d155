import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { addressSubject } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { passAllRequests } from './all-requests.ts';
import { boundChunks } from './chunk-bounds.ts';
import { shareConnections } from './connection-shares.ts';
import type { ConnectionLimits } from './connection-shares.ts';
import { boundOverhead } from './overhead-bounds.ts';
import { shareReads } from './read-turns.ts';
import { createAddressFinder, createMembership } from './trusted-proxies.ts';
import { endUnreadBodies } from './unread-body.ts';

export interface ServerLimits extends ConnectionLimits {
  /** From the first byte of a request, or from the opening of the connection, to the end of the header. */
  readonly headersMs: number;
  /** From the first byte of a request to the last of its body. */
  readonly requestMs: number;
  /** How often requests are looked at that have taken too long. */
  readonly checkMs: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 1_000,
  maxConnections: 8_192,
  // As many as wait in the system to be accepted, of which the loop accepts one in a turn.
  spareConnections: 512,
  // To read one takes some 0.15 ms.
  maxConnectionsOfAddress: 128,
  maxSilentOfAddress: 64,
  silentMs: 1_000,
  endMs: 10_000,
};

/** Bytes of the request line and the header together. */
const MAX_HEADER_BYTES = 16_384;

/**
 * A server of which no client can hold more than its part: connections are divided among addresses (shareConnections),
 * requests that do not arrive in time are answered with 408 (installClientErrorHandler), bodies may neither come in too many
 * chunks (boundChunks) nor go on behind their answer (endUnreadBodies), one turn of the event loop reads connections for a time
 * (shareReads), and what is neither a request nor its body has an end (boundOverhead). The addresses of `trustedProxies` (CIDR
 * blocks) may have as many connections as the server. Callers are those that `findCaller` knows at that time, otherwise addresses.
 */
export function createBoundedServer(
  trustedProxies: readonly string[] = [],
  limits: ServerLimits = SERVER_LIMITS,
  findCaller: (request: IncomingMessage) => QuotaSubject | undefined = () => undefined,
): Server {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // checkRequestBounds refuses those without, with a problem.
    requireHostHeader: false,
  });
  passAllRequests(server);
  boundOverhead(server);
  const findAddress = createAddressFinder(trustedProxies);
  const findAnyCaller = (each: IncomingMessage): QuotaSubject =>
    findCaller(each) ?? addressSubject(findAddress(each));
  shareReads(server, findAnyCaller);
  boundChunks(server, findAnyCaller);
  endUnreadBodies(server);
  const isTrusted = createMembership(trustedProxies);
  shareConnections(server, isTrusted, limits);
  return server;
}
