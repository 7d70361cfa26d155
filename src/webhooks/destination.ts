import { isIP } from 'node:net';
import { unbracketedHost } from '../domain/notifications/endpoint.ts';
import type { AttemptOutcome } from '../domain/notifications/retry.ts';
import type { DestinationChecks } from './destination-checks.ts';
import type { SignedMessage } from './sign-message.ts';

export interface ResolvedAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Finds all addresses of a name, as `dns.promises.lookup(host, {all: true})` does; rejects when it has none. */
export type HostLookup = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The addresses of a name; each is checked and kept for the attempt, and an answer has room for thousands. */
const MAX_ADDRESSES = 32;

/** How an attempt ends whose destination cannot or must not be called. */
export interface NoDestination {
  readonly outcome: Extract<AttemptOutcome, { kind: 'unreachable' | 'refused' }>;
  /** Where a resolved address was refused. */
  readonly refused?: RefusedHost;
}

/** Which address of a host was refused, and why: for the operator alone, since it may be one of the inner network. */
export interface RefusedHost {
  readonly host: string;
  readonly reason: string;
}

/** A message with the addresses that it may be sent to, and no others. */
export interface ResolvedMessage extends SignedMessage {
  readonly destination: URL;
  readonly addresses: readonly ResolvedAddress[];
}

/**
 * Second stage of an attempt: checks the endpoint's URL again, as the settings may have changed, resolves its host and
 * checks every address. The next stage is a connection of the `ConnectionPool`.
 */
export async function resolveDestination(
  message: SignedMessage,
  lookup: HostLookup,
  checks: DestinationChecks,
): Promise<ResolvedMessage | NoDestination> {
  const endpoint = checks.checkEndpoint(message.url);
  if ('errors' in endpoint) {
    const reason = endpoint.errors.map(({ detail }) => detail).join(' ');
    return { outcome: { kind: 'refused', reason } };
  }
  const resolved = await resolveAddresses(unbracketedHost(endpoint.url), lookup, checks);
  return 'outcome' in resolved ? resolved : { ...message, destination: endpoint.url, ...resolved };
}

/**
 * Resolves a host and checks every address found: one that must not be called refuses the host. An address literal is
 * checked as it is, since lookup functions are not asked about literals.
 */
export async function resolveAddresses(
  host: string,
  lookup: HostLookup,
  checks: DestinationChecks,
): Promise<{ readonly addresses: readonly ResolvedAddress[] } | NoDestination> {
  const family = isIP(host);
  let addresses: readonly ResolvedAddress[];
  try {
    addresses = family > 0 ? [{ address: host, family }] : await lookup(host);
  } catch (error) {
    return unresolved(`The name ${host} could not be resolved (${errorCodeOf(error)}).`);
  }
  if (addresses.length === 0) return unresolved(`The name ${host} has no address.`);
  if (addresses.length > MAX_ADDRESSES)
    return unresolved(`The name ${host} has more than ${MAX_ADDRESSES} addresses.`);
  for (const { address } of addresses) {
    const decision = checks.checkAddress(address);
    if (!decision.allowed) {
      // The caller has written a literal; what a name resolves to here may be nobody's business but the operator's.
      const told = family > 0 ? decision.reason : `${host} has an address that is not public.`;
      const outcome = { kind: 'refused', reason: `The address is not called: ${told}` } as const;
      return { outcome, refused: { host, reason: decision.reason } };
    }
  }
  return { addresses };
}

function unresolved(reason: string): NoDestination {
  return { outcome: { kind: 'unreachable', class: 'dns', reason } };
}

/** The `code` of an error, or its message where it has none; of an error that holds several, the first one's. */
export function errorCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('errors' in error && Array.isArray(error.errors)) return errorCodeOf(error.errors[0]);
  return 'message' in error ? String(error.message) : 'unknown error';
}
