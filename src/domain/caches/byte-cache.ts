import { PartnerEntries } from './partner-entries.ts';

export interface ByteCacheLimits {
  readonly maxBytes: number;
  /** Of the entries of one partner; a larger entry is not kept. */
  readonly maxBytesOfPartner: number;
}

/** What an entry costs beside its bytes: so many small ones are not for nothing. */
const BYTES_OF_ENTRY = 1_024;

/**
 * Cache that is bounded by bytes, in all and for each partner; what was not asked for longest goes first. Whoever sets an entry pays
 * for those that go, and for no others.
 */
export class ByteCache<Value> {
  readonly #entries = new PartnerEntries<Value>();
  readonly #limits: ByteCacheLimits;

  constructor(limits: ByteCacheLimits) {
    this.#limits = limits;
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#entries.size;
  }

  /** The value for `key`; undefined when it is not kept. */
  find(key: string): Value | undefined {
    return this.#entries.find(key);
  }

  /** Keeps a value of so many bytes in place of the one before. */
  set(key: string, value: Value, partnerId: string, bytes: number): void {
    const entries = this.#entries;
    const { maxBytes, maxBytesOfPartner } = this.#limits;
    const size = bytes + BYTES_OF_ENTRY;
    entries.remove(key);
    if (size > Math.min(maxBytes, maxBytesOfPartner)) return;
    entries.set(key, value, partnerId, size);
    while (entries.sizeOf(partnerId) > maxBytesOfPartner) entries.removeOldestOf(partnerId);
    while (entries.size > maxBytes) entries.removeOldest();
  }
}
