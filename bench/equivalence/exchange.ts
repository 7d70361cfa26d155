// One request and its whole answer, as they are on the wire.
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Answer {
  readonly status: number;
  /** By their names in small letters; of a repeated one all values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Is of the clock of the machine. */
const LEFT_OUT = new Set(['date']);
/** A stream has no end: what has come when nothing has come for so long is its answer. */
const STREAM_QUIET_MS = 150;
/** An answer takes no longer: else the version hangs, which is told as an error. */
const ANSWER_MS = 30_000;

/** Both versions are addressed by the same name. */
const HOST = 'partner.test';

export class Exchange {
  readonly #baseUrl: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** A connection that breaks off, and an answer that does not come, are answers with the status 0. */
  async send(asked: Asked, clockMs: number): Promise<Answer> {
    try {
      const { status, headers, body } = await this.#exchange(asked, clockMs);
      const values = Object.entries(headers).map(([name, value]) => [name, this.#unite(value)]);
      return { status, headers: Object.fromEntries(values) as Answer['headers'], body: this.#unite(body) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { status: 0, headers: {}, body: code ?? message };
    }
  }

  /** Each version names its own port in the links that it makes. */
  #unite(text: string): string {
    return text.replaceAll(this.#baseUrl, `http://${HOST}`);
  }

  async #exchange({ method, target, headers, body }: Asked, clockMs: number): Promise<Answer> {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: new URL(this.#baseUrl).port,
        method,
        path: target,
        agent: this.#agent,
        headers: { host: HOST, 'bench-clock': String(clockMs), ...headers },
        timeout: ANSWER_MS,
      });
      sent.once('response', resolve).on('error', reject);
      sent.once('timeout', () => sent.destroy(new Error(`No answer within ${ANSWER_MS} ms.`)));
      sent.end(body);
    });
    return {
      status: message.statusCode ?? 0,
      headers: readHeaders(message),
      body: await readBody(message),
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

function readHeaders({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    if (!LEFT_OUT.has(name))
      headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`;
  }
  return headers;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const isStream = message.headers['content-type']?.startsWith('text/event-stream') === true;
  const chunks: Buffer[] = [];
  let quiet: NodeJS.Timeout | undefined;
  const stop = (): void => void message.destroy();
  if (isStream) quiet = setTimeout(stop, 2 * STREAM_QUIET_MS);
  try {
    for await (const chunk of message) {
      chunks.push(chunk as Buffer);
      if (isStream) {
        clearTimeout(quiet);
        quiet = setTimeout(stop, STREAM_QUIET_MS);
      }
    }
  } catch (error) {
    if (!isStream) throw error;
  }
  clearTimeout(quiet);
  return decode(Buffer.concat(chunks), message.headers['content-encoding']).toString();
}

/** What was sent before it was compressed: the same ids as others compress to other bytes. */
function decode(bytes: Buffer, coding: string | undefined): Buffer {
  // Of a HEAD nothing was sent.
  if (bytes.length === 0) return bytes;
  if (coding === 'gzip') return gunzipSync(bytes);
  return coding === 'br' ? brotliDecompressSync(bytes) : bytes;
}
