/** One event as it came. */
export interface ReceivedEvent {
  readonly id: string;
  readonly data: string;
}

/** Reads text/event-stream (HTML standard, 9.2.6): the events that have an id and data; what else there is, is passed over. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let id = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    // A CR at the end may be the first half of a CRLF: it waits for what follows.
    const text = rest + decoder.decode(chunk, { stream: true });
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0 && id !== '') yield { id, data: data.join('\n') };
        data = [];
        continue;
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
      if (name === 'id' && !value.includes('\0')) id = value;
      if (name === 'data') data.push(value);
    }
  }
}
