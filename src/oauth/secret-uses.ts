import type { SecretUse } from '../queries/accounts/application-secrets.ts';

/** Secrets whose uses wait to be written; of more, the uses that come meanwhile are not kept. */
const MAX_WAITING = 10_000;

/** The last use of each secret, until they are written together: a token then costs no write beside its own. */
export class SecretUses {
  #waiting = new Map<string, SecretUse>();

  add(use: SecretUse): void {
    const key = `${use.applicationId} ${use.secretHash.toString('base64')}`;
    if (this.#waiting.size < MAX_WAITING || this.#waiting.has(key)) this.#waiting.set(key, use);
  }

  /** What waits; from now on it is the caller's. */
  take(): readonly SecretUse[] {
    const uses = [...this.#waiting.values()];
    this.#waiting = new Map();
    return uses;
  }

  /** Takes back what could not be written, unless the secret was used since. */
  giveBack(uses: readonly SecretUse[]): void {
    const later = this.take();
    for (const use of [...uses, ...later]) this.add(use);
  }
}
