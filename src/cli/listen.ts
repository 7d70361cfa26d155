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
  /** Begin behind this message instead of with the next one. */
  readonly after?: string;
  /** Signs what is forwarded; a fresh one by default. */
  readonly secret?: string;
}

/** As long as a webhook's endpoint has. */
const FORWARD_MS = 5_000;
/** Three heartbeats without a sign of life: the connection is dead. */
const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** The service cannot be had now, but may be later. */
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
  readonly #agent = new Agent({ bodyTimeout: SILENCE_MS, headersTimeout: SILENCE_MS });
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
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.#isStopped()) {
      try {
        await this.#follow(() => (pauseMs = FIRST_PAUSE_MS));
        this.#say('The service ended the stream; connecting again.');
      } catch (error) {
        if (this.#isStopped()) return;
        if (error instanceof UsageError || !this.#wasConnected) throw asUsageError(error);
        this.#say(`Not connected (${reasonOf(error)}); trying again.`);
      }
      await pause(pauseMs, undefined, { signal: this.#stop }).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
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
      this.#refused(statusCode, detail);
      return;
    }
    onConnected();
    this.#say(
      `${this.#wasConnected ? 'Connected again' : 'Connected'}: messages of ${org} go to ${forwardTo}.`,
    );
    this.#wasConnected = true;
    for await (const event of readEvents(body)) {
      await this.#forward(event);
      this.#lastId = event.id;
    }
  }

  /** Throws; only a message that is not kept any more lets the stream begin anew. */
  #refused(status: number, detail: string): void {
    if (status === 429 || status >= 500) throw new Unavailable(`status ${status}: ${detail}`);
    if (status === 422 && this.#wasConnected && this.#lastId !== undefined) {
      this.#say(`The message ${this.#lastId} is not kept any more; going on with the next one.`);
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

  /** One POST, as a webhook would get it; what comes of it is printed, and the next message is sent all the same. */
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
    this.#say(
      `${at.toISOString()}  ${type}  ${id}  ${result}  ${Math.round(performance.now() - startedAt)} ms`,
    );
  }

  #say(text: string): void {
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

/** What a problem or an error of RFC 6749 says. */
function detailOf(text: string): string {
  try {
    const { detail, error_description, error } = JSON.parse(text) as Record<string, unknown>;
    return String(detail ?? error_description ?? error);
  } catch {
    return text.slice(0, 200);
  }
}
