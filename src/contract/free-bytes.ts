/** Whether bytes have memory to themselves; small buffers of Node.js share theirs. */
export function areAlone(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}

/**
 * Frees the memory of bytes that nobody needs any more, at once: they are empty afterwards (docs/decisions.md, "Heavy work"). Memory
 * that they share with others stays.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (areAlone(bytes)) bytes.buffer.transfer(0);
}
