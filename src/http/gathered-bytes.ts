import { freeBytes } from '../contract/free-bytes.ts';

const FIRST_ROOM_BYTES = 65_536;

/** The bytes of chunks one behind the other. Who adds a chunk gives it away: nothing of it is left. */
export class GatheredBytes {
  readonly #expected: number;
  #memory: Buffer = Buffer.alloc(0);
  #length = 0;

  /** `expected`: how many there will be, where that is known. */
  constructor(expected = Infinity) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#length === 0) {
      this.#memory = chunk;
    } else {
      if (length > this.#memory.length) this.#moveTo(Math.max(length, this.#nextRoom()));
      chunk.copy(this.#memory, this.#length);
      freeBytes(chunk);
    }
    this.#length = length;
  }

  /** All of them, in as much memory as they need. */
  take(): Buffer {
    if (this.#length < this.#memory.length) this.#moveTo(this.#length);
    return this.#memory;
  }

  free(): void {
    freeBytes(this.#memory);
  }

  #nextRoom(): number {
    return Math.min(this.#expected, Math.max(FIRST_ROOM_BYTES, 2 * this.#memory.length));
  }

  #moveTo(room: number): void {
    const memory = Buffer.allocUnsafeSlow(room);
    this.#memory.copy(memory, 0, 0, this.#length);
    freeBytes(this.#memory);
    this.#memory = memory;
  }
}
