/**
 * A long answer in a media type of its own, part by part in order: text in UTF-8, or bytes. The next part is asked for once the
 * client has read on, and computed by whoever gives it, not on the event loop.
 */
export class StreamedBytes {
  readonly contentType: string;
  readonly parts: AsyncIterable<string | Uint8Array>;

  constructor(contentType: string, parts: AsyncIterable<string | Uint8Array>) {
    this.contentType = contentType;
    this.parts = parts;
  }
}
