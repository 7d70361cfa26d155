/** An answer's body that is JSON in UTF-8 already, written where it was computed. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

const encoder = new TextEncoder();

/** JSON as UTF-8 bytes that belong to nobody else, so that they can be moved to another thread. */
export function toJsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify(value));
}
