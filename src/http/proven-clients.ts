import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ClientCredentials } from '../oauth/client-credentials.ts';

/** Beyond them those that were used longest ago are forgotten. */
const MAX_CLIENTS = 10_000;

/**
 * Clients whose credentials were right when they were used last, with their partners, by the digest of what they prove themselves
 * with. What others use up with wrong ones, by address or by client id, does not stop them, and they are looked up in the share
 * of their partner. Kept by each process for itself.
 */
export class ProvenClients {
  readonly #partners: LRUCache<string, string>;

  constructor(max = MAX_CLIENTS) {
    this.#partners = new LRUCache({ max });
  }

  /** The partner of the client. */
  findPartner(proof: string | undefined): string | undefined {
    return proof === undefined ? undefined : this.#partners.get(toKey(proof));
  }

  remember(proof: string | undefined, partnerId: string): void {
    if (proof !== undefined) this.#partners.set(toKey(proof), partnerId);
  }

  /** The credentials were wrong: a secret that was changed, a client that is gone. */
  forget(proof: string | undefined): void {
    if (proof !== undefined) this.#partners.delete(toKey(proof));
  }
}

/** What a client proves itself with: its Authorization header, or the id and the secret of its body, which no header is like. */
export function toProof(
  authorization: string | undefined,
  credentials: ClientCredentials | undefined,
): string | undefined {
  if (authorization !== undefined) return authorization;
  return credentials && `${credentials.clientId}\n${credentials.clientSecret}`;
}

const toKey = (proof: string): string => hash('sha256', proof);
