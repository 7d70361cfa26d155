import { hash } from 'node:crypto';
import type { ClientCredentials } from '../oauth/client-credentials.ts';
import { CredentialMemory } from '../shares/credential-memory.ts';
import type { FoundCredential } from '../shares/credential-memory.ts';

/**
 * Clients whose credentials were right when they were used last, with their partners, by the digest of what they prove themselves
 * with. What others use up with wrong ones, by address or by client id, does not stop them, and they are looked up in the share
 * of their partner; its turn they have for a minute. Kept by each process for itself.
 */
export class ProvenClients {
  readonly #credentials: CredentialMemory;
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#credentials = new CredentialMemory({ monotonicMs });
  }

  /** The partner of the client, whose secret may have ended. */
  findPartner(proof: string | undefined): string | undefined {
    return proof === undefined ? undefined : this.#credentials.findPartner(toKey(proof));
  }

  /** The partner of a client whose credentials were right within a minute. */
  findProvenPartner(proof: string | undefined): string | undefined {
    return proof === undefined ? undefined : this.#credentials.findProvenPartner(toKey(proof));
  }

  /** A look-up is about to begin: what it finds is to be remembered by what this returns. */
  start(proof: string | undefined): (client: FoundCredential) => void {
    const startedMs = this.#monotonicMs();
    return (client) => {
      if (proof !== undefined) this.#credentials.remember(toKey(proof), client, startedMs);
    };
  }

  /** The credentials were wrong: a secret that was changed, a client that is gone. */
  forget(proof: string | undefined): void {
    if (proof !== undefined) this.#credentials.forget(toKey(proof));
  }

  /** A secret of an application was ended, or it or its owner changed: it has its partner's turn once it is right again. */
  endAllOf(id: string): void {
    this.#credentials.endAllOf(id);
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
