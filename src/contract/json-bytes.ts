/** An answer's body that is JSON in UTF-8 already, written where it was computed. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}
