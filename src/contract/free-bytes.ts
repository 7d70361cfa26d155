/** Whether bytes have memory to themselves; small buffers of Node.js share theirs. */
function areAlone(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}

/** The same bytes in memory of their own: small buffers of Node.js share theirs, which cannot be moved. */
export function toOwnBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return areAlone(bytes) ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

/**
 * Frees the memory of bytes that nobody needs any more, at once: they are empty afterwards (docs/decisions.md, "Heavy work"). Memory
 * that they share with others stays.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (areAlone(bytes) && !bytes.buffer.detached) bytes.buffer.transfer(0);
}
