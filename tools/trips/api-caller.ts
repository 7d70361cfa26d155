import { setTimeout as pause } from 'node:timers/promises';

const ATTEMPTS = 300;
const PAUSE_MS = 50;

/** Calls the API with a token; an answer that is not 2xx is an error. */
export class ApiCaller {
  readonly #baseUrl: string;
  readonly #token: string;

  private constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  static async withToken(baseUrl: string, clientId: string, clientSecret: string): Promise<ApiCaller> {
    const response = await fetch(`${baseUrl}/oauth2/token/`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return new ApiCaller(baseUrl, token);
  }

  async call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  }

  /** Reads a path again until its answer is as wanted. */
  async until(
    path: string,
    isWanted: (answer: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const answer = await this.call('GET', path);
      if (isWanted(answer)) return answer;
      await pause(PAUSE_MS);
    }
    throw new Error(`${path} did not become as wanted.`);
  }
}
