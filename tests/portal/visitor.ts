import supertest from 'supertest';
import type { Response } from 'supertest';

export type Fields = Readonly<Record<string, string>>;

/** A person's browser without JavaScript: keeps cookies, fills in forms, does not follow redirects by itself. */
export class Visitor {
  readonly #agent: ReturnType<typeof supertest.agent>;

  constructor(baseUrl: string) {
    this.#agent = supertest.agent(baseUrl);
  }

  get(path: string): Promise<Response> {
    return read(this.#agent.get(path).redirects(0));
  }

  post(path: string, fields: Fields): Promise<Response> {
    return read(this.#agent.post(path).type('form').redirects(0).send(fields));
  }

  /** Sends a form of several parts, as browsers do where it may hold a file. */
  postParts(path: string, fields: Fields, file = ''): Promise<Response> {
    const request = this.#agent.post(path).redirects(0);
    for (const [name, value] of Object.entries(fields)) if (name !== 'file') void request.field(name, value);
    return Promise.resolve(request.attach('file', Buffer.from(file), 'prices.csv'));
  }

  postBytes(path: string, type: string, bytes: string): Promise<Response> {
    return Promise.resolve(this.#agent.post(path).type(type).redirects(0).send(bytes));
  }

  /** Sends the form that posts to `path` as it stands on the page, with these fields filled in. */
  async submit(pagePath: string, fields: Fields, path = pagePath): Promise<Response> {
    const page = await this.get(pagePath);
    return this.post(path, { ...formOf(page.text, path), ...fields });
  }

  login(username: string, password: string, next?: string): Promise<Response> {
    const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
    return this.submit(`/accounts/login/${query}`, { username, password }, '/accounts/login/');
  }
}

/** Answers as people read them: a no-break space is a space. */
async function read(request: PromiseLike<Response>): Promise<Response> {
  const answer = await request;
  if (typeof answer.text === 'string') answer.text = answer.text.replaceAll('\u00a0', ' ');
  return answer;
}

/** The values of the form with this action, as a browser would send them untouched. */
export function formOf(html: string, action: string): Record<string, string> {
  const form = html
    .split('<form ')
    .slice(1)
    .map((each) => each.split('</form>')[0] ?? '')
    .find((each) => each.startsWith('method="post"') && each.includes(`action="${action}"`));
  if (form === undefined) throw new Error(`No form posts to ${action}.`);
  const values: Record<string, string> = {};
  for (const [tag] of form.matchAll(/<input [^>]*>/g)) {
    const name = attribute(tag, 'name');
    const isLeftOut = attribute(tag, 'type') === 'checkbox' && !/\schecked[\s>]/.test(tag);
    if (name !== undefined && !isLeftOut) values[name] = attribute(tag, 'value') ?? '';
  }
  for (const [, name, options] of form.matchAll(/<select [^>]*name="([^"]+)"[^>]*>(.*?)<\/select>/gs)) {
    const chosen = /<option value="([^"]*)"\s*selected/.exec(options ?? '');
    if (name !== undefined) values[name] = chosen?.[1] ?? '';
  }
  return values;
}

/** The text of the element with this id. */
export function elementText(html: string, id: string): string | undefined {
  return new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1];
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
}
