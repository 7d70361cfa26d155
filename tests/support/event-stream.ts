import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';

export interface HeardEvent {
  readonly id: string;
  readonly data: string;
}

/** A listener of text/event-stream as the HTML standard reads it; comments are kept apart. */
export class EventListener {
  readonly response: IncomingMessage;
  readonly comments: string[] = [];
  retryMs: number | undefined;
  /** Everything that came. */
  text = '';
  /** Resolves when the other side has ended the stream: whole, or cut off. */
  readonly ended: Promise<'whole' | 'cut off'>;
  readonly #events: HeardEvent[] = [];
  #wake = (): void => {};
  #rest = '';
  #hasEnded = false;

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
      this.#read(text);
    });
    this.ended = new Promise((resolve) => {
      response.on('error', () => undefined);
      response.once('close', () => {
        this.#hasEnded = true;
        resolve(response.complete ? 'whole' : 'cut off');
      });
    });
  }

  /** Resolves when the answer has begun. */
  static open(url: string, headers: Readonly<Record<string, string>>): Promise<EventListener> {
    return new Promise((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => resolve(new EventListener(response))).once(
        'error',
        reject,
      );
    });
  }

  /** The next event that was not taken yet; throws when the stream ends before it. */
  async next(): Promise<HeardEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#hasEnded) throw new Error(`The stream ended before another event:\n${this.text}`);
      await this.#more();
    }
  }

  /** Waits for the first text, whatever it is, and leaves. */
  async firstText(): Promise<string> {
    while (this.text === '' && !this.#hasEnded) await this.#more();
    this.close();
    return this.text;
  }

  close(): void {
    this.response.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      void this.ended.then(() => resolve());
    });
  }

  #read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const field = (name: string): string[] =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      this.comments.push(...lines.filter((line) => line.startsWith(':')));
      const [retry] = field('retry');
      if (retry !== undefined) this.retryMs = Number(retry);
      const data = field('data');
      if (data.length > 0) this.#events.push({ id: field('id')[0] ?? '', data: data.join('\n') });
    }
    this.#wake();
  }
}
