import { areAlone } from '../contract/free-bytes.ts';

const encoder = new TextEncoder();

/** JSON as UTF-8 bytes that belong to nobody else, so that they can be moved to another thread. */
export function toJsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(value));
}

/** The same bytes in memory of their own: small buffers of Node.js share theirs, which cannot be moved. */
export function toOwnBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return areAlone(bytes) ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}

/** The memory of the byte arrays and number arrays among the properties of an object; shared memory need not move. */
export function listTransferable(value: object): ArrayBuffer[] {
  return Object.values(value).flatMap((part: unknown) =>
    ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer ? [part.buffer] : [],
  );
}
