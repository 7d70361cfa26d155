/** A message of a stream: `data` is its envelope as JSON text. */
export interface AnnouncedEvent {
  readonly id: string;
  readonly data: string;
}

export interface BufferLimits {
  readonly messages: number;
  readonly characters: number;
}

/** What an open stream may have before it that its reader has not taken. */
export const BUFFER_LIMITS: BufferLimits = { messages: 1_000, characters: 1_048_576 };

/** The messages between the reader of an organization and one of its streams: as many as the limits allow, no more. */
export class StreamBuffer {
  readonly #limits: BufferLimits;
  #messages: AnnouncedEvent[] = [];
  #characters = 0;
  #isEnded = false;
  #wake = (): void => undefined;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  /** False when the stream has no room: then it has ended, with nothing more to take. */
  push(event: AnnouncedEvent): boolean {
    this.#characters += event.data.length;
    // One message is always taken, however long it is.
    const isFull =
      this.#messages.length > 0 &&
      (this.#messages.length === this.#limits.messages || this.#characters > this.#limits.characters);
    if (isFull) {
      this.#messages = [];
      this.end();
    } else {
      this.#messages.push(event);
      this.#wake();
    }
    return !isFull;
  }

  /** Nothing more will come. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** The messages as they come, until the end. */
  async *take(): AsyncGenerator<AnnouncedEvent> {
    for (;;) {
      const next = this.#messages.shift();
      if (next !== undefined) {
        this.#characters -= next.data.length;
        yield next;
      } else if (this.#isEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }
}
