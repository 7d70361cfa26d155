/** An answer that a step looks at. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** The few lines of HTTP that a partner needs; prints each call and what came back. */
export class DemoClient {
  readonly baseUrl: string;
  #token: string | undefined;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  useToken(token: string): void {
    this.#token = token;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as unknown) : text,
    };
    console.log(`   ${method} ${path.split('?')[0] ?? ''}`);
    if (body !== undefined) console.log(`   > ${brief(body)}`);
    console.log(`   < ${answer.status} ${isJson ? brief(answer.body) : ''}`);
    return answer;
  }
}

const SECRETS = new Set(['access_token', 'secret', 'client_secret']);
const MAX_CHARACTERS = 160;

/** One line; secrets are cut, also in a demo. */
function brief(value: unknown): string {
  const text = JSON.stringify(value, (name, each: unknown) =>
    SECRETS.has(name) && typeof each === 'string' ? `${each.slice(0, 10)}…` : each,
  );
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
