import { isIP } from 'node:net';
import { checkDestinationAddress } from '../domain/security/addresses.ts';
import type { AttemptOutcome } from '../domain/notifications/retry.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name, as `dns.promises.lookup(host, {all: true})` gives them. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Vetted addresses, or how the attempt ends. */
export type Destination =
  | { readonly addresses: readonly ResolvedAddress[] }
  | { readonly outcome: Extract<AttemptOutcome, { kind: 'unreachable' | 'refused' }> };

/**
 * Resolves a host and checks every address of the answer: one that is forbidden refuses the host. A
 * literal address is checked as it is, since lookup hooks are not asked about literals.
 */
export async function resolveDestination(
  host: string,
  lookup: Lookup,
  allowedNetworks: readonly string[],
): Promise<Destination> {
  const family = isIP(host);
  let addresses: readonly ResolvedAddress[];
  try {
    addresses = family > 0 ? [{ address: host, family }] : await lookup(host);
  } catch (error) {
    return unreachable(`The name ${host} could not be resolved (${codeOf(error)}).`);
  }
  if (addresses.length === 0) return unreachable(`The name ${host} has no address.`);
  for (const { address } of addresses) {
    const verdict = checkDestinationAddress(address, allowedNetworks);
    if (!verdict.allowed) {
      return { outcome: { kind: 'refused', reason: `The address is not called: ${verdict.reason}` } };
    }
  }
  return { addresses };
}

function unreachable(reason: string): Destination {
  return { outcome: { kind: 'unreachable', class: 'dns', reason } };
}

/** The code of an error, or its message where it has none; of several in one, the first's. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('errors' in error && Array.isArray(error.errors)) return codeOf(error.errors[0]);
  return 'message' in error ? String(error.message) : 'unknown error';
}
