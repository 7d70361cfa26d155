import type { AnnouncedMessage, StreamCursor } from '../queries/notifications/events.ts';
import type { StreamBuffer } from './stream-buffer.ts';

/** An open stream that has got all there was when it was opened. */
export interface OpenStream {
  /** Behind the last message that it was given. */
  cursor: StreamCursor;
  readonly buffer: StreamBuffer;
  /** Ends the connection, whose client does not read. */
  readonly cut: () => void;
}

/** An organization with open streams: it is read once, and what was read is given to all of them. */
export class OpenOrganization {
  readonly #streams = new Set<OpenStream>();
  #cursor: StreamCursor;

  constructor(cursor: StreamCursor) {
    this.#cursor = cursor;
  }

  /** Where to read on: before all that any stream has yet to get. */
  get cursor(): StreamCursor {
    return this.#cursor;
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  add(stream: OpenStream): void {
    this.#streams.add(stream);
    if (isBefore(stream.cursor, this.#cursor)) this.#cursor = stream.cursor;
  }

  remove(stream: OpenStream): void {
    this.#streams.delete(stream);
  }

  /**
   * Gives the messages behind `start` to every stream that has not got them. False when a stream from before `start` has
   * come since the messages were read: they must be read again from its cursor.
   */
  deliver(start: StreamCursor, messages: readonly AnnouncedMessage[]): boolean {
    if (this.#cursor !== start) return false;
    for (const message of messages) {
      const event = { id: message.id, data: message.payload.toString('utf8') };
      for (const stream of this.#streams) {
        if (!isBefore(stream.cursor, message)) continue;
        stream.cursor = message;
        if (stream.buffer.push(event)) continue;
        this.#streams.delete(stream);
        stream.cut();
      }
      this.#cursor = message;
    }
    return true;
  }

  /** Ends every stream. */
  end(): void {
    for (const { buffer } of this.#streams) buffer.end();
  }
}

function isBefore(a: StreamCursor, b: StreamCursor): boolean {
  const difference = a.at.getTime() - b.at.getTime();
  return difference === 0 ? a.id < b.id : difference < 0;
}
