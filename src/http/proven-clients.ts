import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Beyond them those that were used longest ago are forgotten. */
const MAX_CLIENTS = 10_000;

/**
 * Clients whose credentials were right when they were used last, with their partners, by the digest of the Authorization header.
 * What others use up with wrong ones, by address or by client id, does not stop them, and they are looked up in the share of
 * their partner. Kept by each process for itself.
 */
export class ProvenClients {
  readonly #headers: LRUCache<string, string>;

  constructor(max = MAX_CLIENTS) {
    this.#headers = new LRUCache({ max });
  }

  /** The partner of the client. */
  findPartner(authorization: string | undefined): string | undefined {
    return authorization === undefined ? undefined : this.#headers.get(toKey(authorization));
  }

  remember(authorization: string | undefined, partnerId: string): void {
    if (authorization !== undefined) this.#headers.set(toKey(authorization), partnerId);
  }

  /** The credentials were wrong: a secret that was changed, a client that is gone. */
  forget(authorization: string | undefined): void {
    if (authorization !== undefined) this.#headers.delete(toKey(authorization));
  }
}

const toKey = (authorization: string): string => hash('sha256', authorization);
