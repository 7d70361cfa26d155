import { kindOf } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';

/** From which addresses partners have connections that are open. */
export class PartnerAddresses {
  readonly #connections = new Map<QuotaSubject, number>();

  has(address: QuotaSubject): boolean {
    return this.#connections.has(address);
  }

  /** Whose a connection from an address was, and whose it is now; undefined before it is opened, and when it is closed. */
  change(address: QuotaSubject, from: QuotaSubject | undefined, to: QuotaSubject | undefined): void {
    if (from === to) return;
    const count = (this.#connections.get(address) ?? 0) + countOf(to) - countOf(from);
    if (count > 0) this.#connections.set(address, count);
    else this.#connections.delete(address);
  }
}

function countOf(caller: QuotaSubject | undefined): number {
  return caller !== undefined && kindOf(caller) === 'partner' ? 1 : 0;
}
