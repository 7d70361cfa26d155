import { freeBytes } from '../contract/free-bytes.ts';

/** For the second chunk of a body, however short the first one was. */
const LEAST_ROOM_BYTES = 1_024;

/** The bytes of chunks one behind the other. Who adds a chunk gives it away: nothing of it is left. */
export class GatheredBytes {
  readonly #most: number;
  #memory: Buffer = Buffer.alloc(0);
  #length = 0;

  /** `most`: how many there will be at most. */
  constructor(most: number) {
    this.#most = most;
  }

  /** False for a chunk beyond the most that there may be, of which nothing is added. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#most) return false;
    if (this.#length === 0) {
      this.#memory = chunk;
    } else {
      if (length > this.#memory.length) this.#moveTo(Math.max(length, this.#nextRoom()));
      chunk.copy(this.#memory, this.#length);
      freeBytes(chunk);
    }
    this.#length = length;
    return true;
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
    return Math.min(this.#most, Math.max(LEAST_ROOM_BYTES, 2 * this.#memory.length));
  }

  #moveTo(room: number): void {
    const memory = Buffer.allocUnsafeSlow(room);
    this.#memory.copy(memory, 0, 0, this.#length);
    freeBytes(this.#memory);
    this.#memory = memory;
  }
}
