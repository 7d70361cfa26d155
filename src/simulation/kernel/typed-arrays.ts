/**
 * Typed arrays cut from larger buffers. A simulated day needs a dozen arrays of 96 numbers: a buffer for each of them
 * costs more than filling them.
 */

const BUFFER_BYTES = 65_536;

/** The buffer that arrays are cut from until it is used up; an array keeps its buffer alive. */
let buffer = new ArrayBuffer(BUFFER_BYTES);
let usedBytes = 0;

/** Offset of the next `bytes` in the buffer, a multiple of eight, so that every kind of number is aligned. */
function reserveBytes(bytes: number): number {
  const size = (bytes + 7) & ~7;
  if (usedBytes + size > BUFFER_BYTES) {
    buffer = new ArrayBuffer(BUFFER_BYTES);
    usedBytes = 0;
  }
  const offset = usedBytes;
  usedBytes += size;
  return offset;
}

/** A new array of `length` zeros, at most 64 KiB; no other array shares its memory. */
export function allocateInt32Array(length: number): Int32Array {
  const offset = reserveBytes(4 * length);
  return new Int32Array(buffer, offset, length);
}

/** A new array of `length` zeros, at most 64 KiB; no other array shares its memory. */
export function allocateFloat64Array(length: number): Float64Array {
  const offset = reserveBytes(8 * length);
  return new Float64Array(buffer, offset, length);
}

/** A new array of `length` zeros, at most 64 KiB; no other array shares its memory. */
export function allocateUint8Array(length: number): Uint8Array {
  const offset = reserveBytes(length);
  return new Uint8Array(buffer, offset, length);
}

/** Nearest integer of x >= 0. Math.round branches on the fraction, which processors predict wrongly half the time. */
export const roundNonNegative = (x: number): number => Math.floor(x + 0.5);
