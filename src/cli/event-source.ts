import { createParser } from 'eventsource-parser';

/** One event of a stream. */
export interface ReceivedEvent {
  readonly id: string;
  readonly data: string;
}

/**
 * Reads a body of the type text/event-stream (HTML standard, 9.2.6): the events that have data, each with the last id
 * that the stream has set. Events before the first id are left out.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder();
  let events: ReceivedEvent[] = [];
  let lastId = '';
  const parser = createParser({
    onId: (id) => (lastId = id),
    onEvent: ({ data }) => {
      if (lastId !== '') events.push({ id: lastId, data });
    },
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events;
    events = [];
  }
}
