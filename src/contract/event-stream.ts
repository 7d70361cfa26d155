/** One event of a stream: a client that was cut off names the last id that it got and goes on behind it. */
export interface StreamedEvent {
  readonly id: string;
  readonly data: string;
}

/** The body of an answer of the type text/event-stream, which lasts until one side ends it. */
export class EventStream {
  /** The events as they come; it returns when `gone` is aborted. */
  readonly events: (gone: AbortSignal) => AsyncIterable<StreamedEvent>;
  /** Aborted when the service stops: nobody is waited for any more. */
  readonly stopped: AbortSignal;
  /** To be called once, when the answer is over, however it ends and whether or not it began. */
  readonly release: () => void;

  constructor(events: EventStream['events'], stopped: AbortSignal, release: () => void = () => undefined) {
    this.events = events;
    this.stopped = stopped;
    this.release = release;
  }
}
