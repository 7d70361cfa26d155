/** One event of a stream: a client that was cut off names the last id that it got and goes on behind it. */
export interface StreamedEvent {
  readonly id: string;
  readonly data: string;
}

/** The body of an answer of the type text/event-stream, which lasts until one side ends it. */
export class EventStream {
  /** The events as they come; it returns when `gone` is aborted. `cut` ends a connection whose client does not read. */
  readonly events: (gone: AbortSignal, cut: () => void) => AsyncIterable<StreamedEvent>;
  /** Aborted when the service stops: slow clients are not waited for any more. */
  readonly stopped: AbortSignal;
  /** Must be called once when the answer is over, also when it failed or never began. */
  readonly release: () => void;

  constructor(events: EventStream['events'], stopped: AbortSignal, release: () => void = () => undefined) {
    this.events = events;
    this.stopped = stopped;
    this.release = release;
  }
}
