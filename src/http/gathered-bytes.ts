import type { BodyPieces } from '../contract/body-pieces.ts';
import { freeBytes, toOwnBytes } from '../contract/free-bytes.ts';

/** A chunk of so many bytes is a piece as it is; shorter ones are copied into pieces of up to 64 KiB. */
const LONG_CHUNK_BYTES = 16_384;
const PIECE_BYTES = 65_536;
/** For the second of several short chunks, however short the first one was. */
const LEAST_ROOM_BYTES = 1_024;

/** The bytes of chunks one behind the other. Who adds a chunk gives it away. */
export class GatheredBytes {
  readonly #most: number;
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  /** In which short chunks are gathered, and how much of it is used. */
  #open: Uint8Array<ArrayBuffer> | undefined;
  #used = 0;
  #length = 0;

  /** `most`: how many there will be at most. */
  constructor(most: number) {
    this.#most = most;
  }

  /** False for a chunk beyond the most that there may be, of which nothing is added. */
  add(chunk: Buffer): boolean {
    const { length } = chunk;
    if (this.#length + length > this.#most) return false;
    if (length < LONG_CHUNK_BYTES) {
      this.#addShort(chunk);
    } else {
      this.#close();
      this.#pieces.push(toOwnBytes(chunk));
    }
    this.#length += length;
    return true;
  }

  /** All of them, in as much memory as they need. */
  take(): BodyPieces {
    this.#close();
    return this.#pieces;
  }

  free(): void {
    for (const piece of this.#pieces) freeBytes(piece);
    if (this.#open !== undefined) freeBytes(this.#open);
  }

  #addShort(chunk: Buffer): void {
    const { length } = chunk;
    if (this.#used + length > PIECE_BYTES) this.#close();
    if (this.#open === undefined) {
      this.#open = toOwnBytes(chunk);
    } else {
      this.#open = this.#makeRoom(this.#open, this.#used + length);
      this.#open.set(chunk, this.#used);
      freeBytes(chunk);
    }
    this.#used += length;
  }

  #makeRoom(open: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
    if (needed <= open.length) return open;
    const left = this.#most - this.#length + this.#used;
    const room = Math.min(PIECE_BYTES, left, Math.max(LEAST_ROOM_BYTES, 2 * open.length));
    return this.#move(open, Math.max(needed, room));
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#pieces.push(this.#used < this.#open.length ? this.#move(this.#open, this.#used) : this.#open);
    this.#open = undefined;
    this.#used = 0;
  }

  /** What is used of a piece in as much memory. */
  #move(piece: Uint8Array<ArrayBuffer>, room: number): Uint8Array<ArrayBuffer> {
    const moved = Buffer.allocUnsafeSlow(room);
    moved.set(piece.subarray(0, this.#used));
    freeBytes(piece);
    return moved;
  }
}
