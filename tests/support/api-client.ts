import { appendFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ROUTES } from '../../generated/routes.ts';
import type { ProblemCode } from '../../generated/problems.ts';
import type { OperationId, Route } from '../../generated/routes.ts';
import { isRefusedByDocument } from './document-refusals.ts';
import { findAnswerFault } from './documented-answers.ts';
import { requireDocumentedCodes } from './documented-codes.ts';
import { EventListener } from './event-stream.ts';
import { expectNoSecretIn } from './secret-leaks.ts';
import { validateExchange } from './contract-validator.ts';
import { sendPlainRequest } from './plain-request.ts';
import type { PlainAnswer, PlainRequest } from './plain-request.ts';
import { recordExchange } from './recorded-exchanges.ts';

/** Set by global-setup.ts: where covered (operation, status) pairs are recorded, a line each. */
export const COVERAGE_FILE_VARIABLE = 'TEST_COVERAGE_FILE';

export interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bearer token; null sends none; the admin's by default. */
  readonly token?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, undefined when empty. */
  readonly body: any;
  readonly text: string;
}

/** Of requests that are refused with these the body, and often more, is not read. */
const UNREAD_STATUSES: ReadonlySet<number> = new Set([
  400, 401, 404, 405, 406, 408, 413, 414, 417, 429, 431, 500, 503,
]);

/** What these answer, they answer once. */
const operationsThatShowSecrets: readonly OperationId[] = [
  'createWebhook',
  'rotateWebhookSecret',
  'issueToken',
  'issueTokenAtRoot',
];
/** Their links carry a secret of an hour. */
const operationsThatShowLinks: readonly OperationId[] = [
  'listActions',
  'listInformation',
  'broadcastInformation',
  'resolveNotificationItem',
];

/** Calls operations by id over real HTTP; the answer has passed the contract validator when it comes back. */
export class ApiClient {
  readonly server: Server;
  readonly #defaults: { readonly orgId: string; readonly admin: { readonly token: string } };

  constructor(
    server: Server,
    defaults: { readonly orgId: string; readonly admin: { readonly token: string } },
  ) {
    this.server = server;
    this.#defaults = defaults;
  }

  async call(id: OperationId, call: Call = {}): Promise<Answer> {
    const { route, url, headers, body } = this.#prepare(id, call);
    if (route.answers.includes('text/event-stream')) return this.#listen(id, url, headers);
    const answer = toAnswer(
      await sendPlainRequest({ method: route.method, port: this.#port(), url, headers, body }),
    );
    observe(id, { method: route.method, url, headers, body }, answer);
    await this.#compare(id, route.method, url, headers, body, answer);
    if (!operationsThatShowSecrets.includes(id)) {
      const text = operationsThatShowLinks.includes(id)
        ? answer.text.replaceAll(/[?&]secret=[^"]*/g, '')
        : answer.text;
      expectNoSecretIn(`The answer of ${id}`, text);
    }
    const { location } = answer.headers;
    if (location !== undefined && !URL.canParse(location))
      throw new Error(`${id}: the Location ${location} is not absolute.`);
    return answer;
  }

  /** The same with a body that is announced and does not come. */
  async callWithoutBody(id: OperationId, call: Call = {}): Promise<Answer> {
    const { route, url, headers } = this.#prepare(id, { ...call, raw: '{}' });
    const announced = { ...headers, 'content-length': '2' };
    const request = { method: route.method, port: this.#port(), url, headers: announced, isCutOff: true };
    const answer = toAnswer(await sendPlainRequest(request));
    observe(id, { method: route.method, url, headers }, answer);
    return answer;
  }

  #prepare(id: OperationId, call: Call) {
    const route = findRoute(id);
    const token = call.token === undefined ? this.#defaults.admin.token : call.token;
    const raw = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const headers = {
      ...(token === null || route.access !== 'token' ? {} : { authorization: `Bearer ${token}` }),
      ...(raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    };
    const body = raw === undefined ? undefined : Buffer.from(raw);
    const url = urlOfCall(id, call, this.#defaults.orgId);
    return { route, url, headers, body };
  }

  /** A request to any address, beside the document. */
  async fetch(
    method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'options',
    url: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { status, text, ...response } = await sendPlainRequest({
      method,
      port: this.#port(),
      url,
      headers,
    });
    const got = response.headers as Answer['headers'];
    const isJson = got['content-type']?.split(';')[0]?.endsWith('json') === true;
    const answer: Answer = {
      status,
      headers: got,
      body: isJson ? (JSON.parse(text) as unknown) : undefined,
      text,
    };
    recordAnswer(`${method} ${url}`, answer);
    return answer;
  }

  #port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The answer of an operation that has no end: its first text is taken. */
  async #listen(id: OperationId, url: string, headers: Record<string, string>): Promise<Answer> {
    const listener = await EventListener.open(`http://127.0.0.1:${this.#port()}${url}`, headers);
    const { statusCode: status = 0, headers: got } = listener.response;
    const isStream = got['content-type'] === 'text/event-stream';
    if (!isStream) await listener.ended;
    const text = isStream ? await listener.firstText() : listener.text;
    const body = isStream || text === '' ? undefined : (JSON.parse(text) as unknown);
    const answer = { status, headers: got as Record<string, string>, body, text };
    observe(id, { method: 'get', url, headers }, answer);
    await this.#compare(id, 'get', url, headers, undefined, answer);
    return answer;
  }

  async #compare(
    id: OperationId,
    method: string,
    url: string,
    headers: Record<string, string>,
    body: Buffer | undefined,
    answer: Answer,
  ): Promise<void> {
    // Where the body was not read, or was no JSON, the library has nothing to validate.
    if (UNREAD_STATUSES.has(answer.status) || body?.toString() === 'null') {
      if (answer.status < 500 || body === undefined)
        await this.#compareAnswer(id, method, url, headers, answer);
      return;
    }
    const violations = await validateExchange({
      path: findRoute(id).path,
      method,
      url,
      headers,
      body,
      answer: answerOf(answer),
    });
    const refused = isRefusedByDocument(answer.status, answer.body);
    if (answer.status !== 403 && refused !== (violations.request !== undefined)) {
      throw new Error(
        `${id}: we ${refused ? 'refuse' : 'take'} what express-openapi-validator does not: ${violations.request ?? 'it takes it'}\n${answer.text.slice(0, 2000)}`,
      );
    }
    if (violations.response !== undefined)
      throw new Error(`${id}: answer ${answer.status} breaks the document: ${violations.response}`);
  }

  /** For requests that the library cannot be asked about, at least the answer is compared, with a request that has no body. */
  async #compareAnswer(
    id: OperationId,
    method: string,
    url: string,
    headers: Record<string, string>,
    answer: Answer,
  ): Promise<void> {
    if (method !== 'get') return;
    const violations = await validateExchange({
      path: findRoute(id).path,
      method,
      url,
      headers,
      body: undefined,
      answer: answerOf(answer),
    });
    if (violations.response !== undefined)
      throw new Error(`${id}: answer ${answer.status} breaks the document: ${violations.response}`);
  }
}

/** Path and query of a call, of the organization unless it names one itself. */
export function urlOfCall(id: OperationId, { path, query }: Call, orgId: string): string {
  const values: Readonly<Record<string, string>> = { org_id: orgId, ...path };
  const filled = findRoute(id).path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return filled + queryText(query);
}

function findRoute(id: OperationId): Route {
  const route = ROUTES.find((each) => each.operationId === id);
  if (route === undefined) throw new Error(`The document has no operation ${id}.`);
  return route;
}

function toAnswer({ status, headers, text }: PlainAnswer): Answer {
  const body = text === '' ? undefined : (JSON.parse(text) as unknown);
  return { status, headers: headers as Answer['headers'], body, text };
}

type SentRequest = Pick<PlainRequest, 'method' | 'url' | 'headers' | 'body'>;

/** Records an exchange with an operation, and holds its answer against the document. */
function observe(id: OperationId, request: SentRequest, answer: Answer): void {
  recordAnswer(id, answer);
  const { status, headers, text } = answer;
  recordExchange({
    operationId: id,
    ...request,
    body: request.body?.toString(),
    answer: { status, headers, text },
  });
  const fault = findAnswerFault(findRoute(id), answer);
  if (fault !== undefined) throw new Error(`${id}: ${fault}`);
  requireDocumentedCodes(id, answer);
}

function answerOf(answer: Answer): { status: number; type: string; text: string } {
  return {
    status: answer.status,
    type: (answer.headers['content-type'] ?? '').split(';')[0] ?? '',
    text: answer.text,
  };
}

/** For pages, which have no problem body. */
export function recordProblemCode(code: ProblemCode): void {
  const file = process.env[COVERAGE_FILE_VARIABLE];
  if (file !== undefined) appendFileSync(file, `code ${code}\n`);
}

function recordAnswer(id: string, answer: Answer): void {
  const file = process.env[COVERAGE_FILE_VARIABLE];
  if (file === undefined) return;
  const { code, errors = [] } = (answer.body ?? {}) as { code?: string; errors?: { code: string }[] };
  const isProblem = answer.headers['content-type']?.startsWith('application/problem+json') === true;
  const codes = isProblem ? [code, ...errors.map((error) => error.code)] : [];
  appendFileSync(
    file,
    [`${id} ${answer.status}`, ...codes.map((each) => `code ${String(each)}`), ''].join('\n'),
  );
}

function queryText(query: Call['query']): string {
  if (query === undefined) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) search.append(name, String(each));
  }
  return search.size === 0 ? '' : `?${search.toString().replaceAll('+', '%20')}`;
}
