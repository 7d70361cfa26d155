/**
 * Frees the memory of bytes that nobody needs any more, at once: they are empty afterwards (docs/decisions.md, "Heavy work"). Memory
 * that they share with others, as small buffers of Node.js do, stays.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
