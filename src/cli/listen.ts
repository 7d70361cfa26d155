import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { buildDeliveryHeaders } from '../domain/notifications/delivery-headers.ts';
import { Secret } from '../domain/security/secret.ts';
import { generateSigningSecret } from '../domain/notifications/signature.ts';
import { UsageError } from './context.ts';
import { readEvents } from './event-source.ts';
import type { ReceivedEvent } from './event-source.ts';

export interface ListenOptions {
  /** Where messages go: an http or https address that the user has named. */
  readonly forwardTo: string;
  readonly org: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Starts behind this message instead of with the next one. */
  readonly after?: string;
  /** Signs what is forwarded; a fresh one by default. */
  readonly secret?: string;
}

/** The deadline of one forwarded message, as for a webhook's endpoint. */
const FORWARD_MS = 5_000;
/** Three heartbeats: after this time without data the connection is given up. */
const IDLE_TIMEOUT_MS = 45_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** The service cannot be used now; a later attempt may succeed. */
class Unavailable extends Error {}

/** Forwards the organization's messages to a local address until it is told to stop; then 0. */
export async function listenCommand(options: ListenOptions): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const listener = new Listener(options, stop.signal);
  try {
    await listener.run();
  } finally {
    await listener.close();
  }
  return 0;
}

class Listener {
  readonly #options: ListenOptions;
  readonly #stop: AbortSignal;
  readonly #secret: Secret;
  readonly #agent = new Agent({ bodyTimeout: IDLE_TIMEOUT_MS, headersTimeout: IDLE_TIMEOUT_MS });
  #token: string | undefined;
  #lastId: string | undefined;
  #wasConnected = false;

  constructor(options: ListenOptions, stop: AbortSignal) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/$/, '') };
    this.#stop = stop;
    this.#secret = options.secret === undefined ? generateSigningSecret() : new Secret(options.secret);
    this.#lastId = options.after;
  }

  async run(): Promise<void> {
    console.log(`Signing secret  ${this.#secret.reveal()}`);
    let retryMs = FIRST_RETRY_MS;
    while (!this.#isStopped()) {
      try {
        await this.#follow(() => (retryMs = FIRST_RETRY_MS));
        this.#print('The service ended the stream; connecting again.');
      } catch (error) {
        if (this.#isStopped()) return;
        if (error instanceof UsageError || !this.#wasConnected) throw asUsageError(error);
        this.#print(`Not connected (${reasonOf(error)}); trying again.`);
      }
      await pause(retryMs, undefined, { signal: this.#stop }).catch(() => undefined);
      retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #follow(onConnected: () => void): Promise<void> {
    const isFresh = this.#token === undefined;
    this.#token ??= await this.#requestToken();
    const { org, baseUrl, forwardTo } = this.#options;
    const { statusCode, body } = await request(
      `${baseUrl}/api/partners/v2.0/org/${org}/notifications/events`,
      {
        dispatcher: this.#agent,
        signal: this.#stop,
        headers: {
          accept: 'text/event-stream',
          authorization: `Bearer ${this.#token}`,
          ...(this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId }),
        },
      },
    );
    if (statusCode !== 200) {
      const detail = detailOf(await body.text());
      if (statusCode === 401 && !isFresh) {
        this.#token = undefined;
        throw new Unavailable('the token has ended');
      }
      this.#handleRefusal(statusCode, detail);
      return;
    }
    onConnected();
    this.#print(
      `${this.#wasConnected ? 'Connected again' : 'Connected'}: messages of ${org} go to ${forwardTo}.`,
    );
    this.#wasConnected = true;
    for await (const event of readEvents(body)) {
      await this.#forward(event);
      this.#lastId = event.id;
    }
  }

  /** Throws, except when the last message is no longer stored: then the stream starts again with the next one. */
  #handleRefusal(status: number, detail: string): void {
    if (status === 429 || status >= 500) throw new Unavailable(`status ${status}: ${detail}`);
    if (status === 422 && this.#wasConnected && this.#lastId !== undefined) {
      this.#print(`The message ${this.#lastId} is no longer stored; continuing with the next one.`);
      this.#lastId = undefined;
      return;
    }
    throw new UsageError(`The service refuses the stream with status ${status}: ${detail}`);
  }

  async #requestToken(): Promise<string> {
    const { baseUrl, clientId, clientSecret } = this.#options;
    const basic = [clientId, clientSecret].map(encodeURIComponent).join(':');
    const { statusCode, body } = await request(`${baseUrl}/oauth2/token/`, {
      dispatcher: this.#agent,
      signal: this.#stop,
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: '{"grant_type": "client_credentials"}',
    });
    const text = await body.text();
    if (statusCode === 200) return (JSON.parse(text) as { access_token: string }).access_token;
    if (statusCode === 429 || statusCode >= 500) throw new Unavailable(`status ${statusCode}`);
    throw new UsageError(`The service gives no token (status ${statusCode}): ${detailOf(text)}`);
  }

  /** One POST, as a webhook's endpoint would receive it. Its result is printed; a failure does not stop the next message. */
  async #forward({ id, data }: ReceivedEvent): Promise<void> {
    const body = Buffer.from(data);
    const at = new Date();
    const startedAt = performance.now();
    const result = await request(this.#options.forwardTo, {
      dispatcher: this.#agent,
      method: 'POST',
      headers: buildDeliveryHeaders(this.#secret, id, body, at),
      body,
      signal: AbortSignal.any([this.#stop, AbortSignal.timeout(FORWARD_MS)]),
    }).then(
      async (answer) => {
        await answer.body.dump();
        return String(answer.statusCode);
      },
      (error: unknown) => reasonOf(error),
    );
    const type = /"message_type":"([^"]*)"/.exec(data)?.[1] ?? 'unknown type';
    this.#print(
      `${at.toISOString()}  ${type}  ${id}  ${result}  ${Math.round(performance.now() - startedAt)} ms`,
    );
  }

  #print(text: string): void {
    if (!this.#isStopped()) console.log(text);
  }

  #isStopped(): boolean {
    return this.#stop.aborted;
  }
}

function asUsageError(error: unknown): unknown {
  return error instanceof UsageError
    ? error
    : new UsageError(`The service cannot be reached (${reasonOf(error)}).`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${FORWARD_MS / 1000} seconds`;
  const { code } = error as { code?: unknown };
  return error instanceof Unavailable || typeof code !== 'string' ? error.message : code;
}

/** The text of a problem (RFC 9457) or of an OAuth error (RFC 6749, 5.2). */
function detailOf(text: string): string {
  try {
    const { detail, error_description, error } = JSON.parse(text) as Record<string, unknown>;
    return String(detail ?? error_description ?? error);
  } catch {
    return text.slice(0, 200);
  }
}
