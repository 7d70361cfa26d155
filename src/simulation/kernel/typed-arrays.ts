/**
 * Rows of numbers cut from slabs of memory. A day needs a dozen rows of 96: asking the system for each alone costs
 * more than filling them.
 */

const SLAB_BYTES = 65_536;

let slab = new ArrayBuffer(SLAB_BYTES);
let used = 0;

/** Where the next `bytes` lie; multiples of eight, so that every kind of number is aligned. */
function reserveBytes(bytes: number): number {
  const size = (bytes + 7) & ~7;
  if (used + size > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    used = 0;
  }
  const from = used;
  used += size;
  return from;
}

/** Zeros. */
export function allocateInt32Array(length: number): Int32Array {
  const from = reserveBytes(4 * length);
  return new Int32Array(slab, from, length);
}

export function allocateFloat64Array(length: number): Float64Array {
  const from = reserveBytes(8 * length);
  return new Float64Array(slab, from, length);
}

export function allocateUint8Array(length: number): Uint8Array {
  const from = reserveBytes(length);
  return new Uint8Array(slab, from, length);
}

/** Nearest integer of x >= 0. Math.round branches on the fraction, which processors guess wrong half the time. */
export const roundPositive = (x: number): number => Math.floor(x + 0.5);
