import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { EXAMPLE_REQUESTS } from '../contract/example-world.ts';
import type { ExampleWorld } from '../contract/example-world.ts';
import { sendDirectly } from '../contract/send-examples.ts';
import type { Call, SendExample } from '../contract/send-examples.ts';
import type { ExampleRequest } from '../../tools/generate/example-requests.ts';
import { readSnippets } from './snippet-pages.ts';
import type { Language } from './snippet-pages.ts';
import type { Environment, RunSnippet } from './snippet-runners.ts';

/** Of the examples of an operation the code shows the first. */
const SHOWN = new Map(EXAMPLE_REQUESTS.toReversed().map((request) => [request.operationId, request]));

/** Whether it is the request that the code of its operation makes; of an answer without end none is taken. */
export function isShownRequest(
  { operationId, name, body }: ExampleRequest,
  { answers }: Call['route'],
): boolean {
  const shown = SHOWN.get(operationId);
  return shown?.name === name && shown.body?.type === body?.type && !answers.includes('text/event-stream');
}

/**
 * Sends what the code of an operation shows by running that code, everything else directly. Rejects when the code makes another
 * call than it should, or more than one, or prints something else than the answer.
 */
export function sendBySnippet(world: ExampleWorld, language: Language, run: RunSnippet): SendExample {
  const { api } = world.fleets;
  const direct = sendDirectly(world);
  const calls = recordCalls(world);
  return async (request, call) => {
    const { route } = call;
    if (!isShownRequest(request, route)) return direct(request, call);
    const env = environmentOf(request, call);
    const code = (await readSnippets(api, `/docs/operations/${route.operationId}`)).get(language) ?? '';
    calls.length = 0;
    const output = await run(code, language === 'curl' ? encodeForCurl(env) : env);
    const [made, ...others] = calls;
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
      encodeURIComponent(env[name.toUpperCase()] ?? ''),
    );
    if (made?.line !== `${route.method.toUpperCase()} ${path}` || others.length > 0)
      throw new Error(`It calls ${calls.map(({ line }) => line).join(', ')}.`);
    return { status: made.status, headers: made.headers, body: readOutput(output, made.status) };
  };
}

interface RecordedCall {
  /** Method and path. */
  readonly line: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What operations are asked from now on, and what they answer. */
function recordCalls({ fleets: { api } }: ExampleWorld): RecordedCall[] {
  const calls: RecordedCall[] = [];
  api.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', api.baseUrl);
    if (pathname.startsWith('/docs/')) return;
    response.once('finish', () => {
      const line = `${request.method ?? ''} ${pathname}`;
      calls.push({ line, status: response.statusCode, headers: toTexts(response.getHeaders()) });
    });
  });
  return calls;
}

function toTexts(headers: OutgoingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Identifiers and secrets by the names of the variables that the code takes them from. */
function environmentOf({ parameters }: ExampleRequest, { token, client }: Call): Environment {
  const values = parameters
    .filter((each) => each.in === 'path' || each.name === 'secret')
    .map(({ name, value }) => [name.toUpperCase(), String(value)]);
  return { TOKEN: token, CLIENT_ID: client.id, CLIENT_SECRET: client.secret, ...Object.fromEntries(values) };
}

/** In curl the text of an address stands as it is: whoever sets the variables encodes them. */
export function encodeForCurl(env: Environment): Environment {
  const { EXTERNAL_USER_ID: external } = env;
  return external === undefined ? env : { ...env, EXTERNAL_USER_ID: encodeURIComponent(external) };
}

/** The answer as it was printed; undefined for one without a body, of which at most the status is. */
function readOutput(output: string, status: number): unknown {
  return ['', String(status)].includes(output.trim()) ? undefined : JSON.parse(output);
}
