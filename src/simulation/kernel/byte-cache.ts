export interface ByteCacheLimits {
  readonly maxBytes: number;
  /** Of the entries of one partner; a larger entry is not kept. */
  readonly maxBytesOfPartner: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly partnerId: string;
}

/** What an entry costs beside its bytes: so many small ones are not for nothing. */
const BYTES_OF_ENTRY = 1_024;

/** Cache that is bounded by bytes, in all and for each partner; what was not asked for longest goes first. */
export class ByteCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #bytesOf = new Map<string, number>();
  readonly #limits: ByteCacheLimits;
  #bytes = 0;

  constructor(limits: ByteCacheLimits) {
    this.#limits = limits;
  }

  /** Bytes of all that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The value for `key`; undefined when it is not kept. */
  find(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value of so many bytes in place of the one before. */
  set(key: string, value: Value, partnerId: string, bytes: number): void {
    this.#drop(key);
    const entry = { value, partnerId, bytes: bytes + BYTES_OF_ENTRY };
    const { maxBytes, maxBytesOfPartner } = this.#limits;
    if (entry.bytes > Math.min(maxBytes, maxBytesOfPartner)) return;
    this.#entries.set(key, entry);
    this.#add(partnerId, entry.bytes);
    this.#dropWhile(
      () => (this.#bytesOf.get(partnerId) ?? 0) > maxBytesOfPartner,
      (its) => its === partnerId,
    );
    this.#dropWhile(
      () => this.#bytes > maxBytes,
      () => true,
    );
  }

  /** Drops the oldest entries of some partners as long as a limit is exceeded. */
  #dropWhile(isBeyond: () => boolean, isOne: (partnerId: string) => boolean): void {
    for (const [key, { partnerId }] of this.#entries) {
      if (!isBeyond()) return;
      if (isOne(partnerId)) this.#drop(key);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#add(entry.partnerId, -entry.bytes);
  }

  #add(partnerId: string, bytes: number): void {
    this.#bytes += bytes;
    const left = (this.#bytesOf.get(partnerId) ?? 0) + bytes;
    if (left === 0) this.#bytesOf.delete(partnerId);
    else this.#bytesOf.set(partnerId, left);
  }
}
