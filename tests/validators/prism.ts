// Prism as a proxy that validates: what it forwards is answered with the answer that was recorded.
import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { prism } from '../interoperability/libraries.ts';
import { sendPlainRequest } from '../support/plain-request.ts';
import type { RecordedExchange } from '../support/recorded-exchanges.ts';
import { readDocumentForPrism } from './prism-document.ts';
import type { Validator, Violations } from './validator.ts';

const NUMBER_HEADER = 'x-exchange';
/** What is said of a connection and not of the message. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
]);

export interface Prism extends Validator {
  close(): Promise<void>;
}

/** Starts Prism with the published document, which takes some seconds. */
export async function startPrism(): Promise<Prism> {
  const answers = new Map<string, RecordedExchange['answer']>();
  const upstream = createServer((request, response) => {
    const number = String(request.headers[NUMBER_HEADER]);
    const { status = 500, headers = {}, text = '' } = answers.get(number) ?? {};
    response.writeHead(status, { ...withoutConnection(headers), [NUMBER_HEADER]: number }).end(text);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const proxy = await startProxy(upstream.address() as AddressInfo);
  const agent = new Agent({ keepAlive: true });
  let count = 0;

  async function ask({ method, url, headers, body }: RecordedExchange, number: string) {
    const numbered = { ...withoutConnection(headers), [NUMBER_HEADER]: number };
    const sent = body === undefined ? undefined : Buffer.from(body);
    const answer = await sendPlainRequest({
      method,
      port: proxy.port,
      url,
      headers: numbered,
      body: sent,
      agent,
    });
    return { isForwarded: answer.headers[NUMBER_HEADER] === number, ...answer };
  }

  return {
    name: 'Prism',
    overlooks: [],
    async validate(exchange) {
      const number = String((count += 1));
      answers.set(number, exchange.answer);
      let answer = await ask(isForwardable(exchange) ? exchange : { ...exchange, body: undefined }, number);
      // Whatever else it does not forward: the answer is held against the document all the same.
      if (!answer.isForwarded) answer = await ask({ ...exchange, body: undefined }, number);
      answers.delete(number);
      if (!answer.isForwarded)
        throw new Error(`Prism does not forward ${exchange.method} ${exchange.url}: ${answer.text}`);
      return readViolations(String(answer.headers['sl-violations'] ?? ''));
    },
    async close() {
      agent.destroy();
      await proxy.close();
      upstream.closeAllConnections();
      upstream.close();
    },
  };
}

/** Prism never answers a request whose body is no JSON although its media type says so. */
function isForwardable({ headers, body = '' }: RecordedExchange): boolean {
  if (!/^application\/(?:.*\+)?json/i.test(headers['content-type'] ?? '')) return true;
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

async function startProxy({ port }: AddressInfo): Promise<{ port: number; close(): Promise<void> }> {
  const { createServer: createProxy, createLogger, getHttpOperationsFromSpec } = await prism();
  const proxy = createProxy(await getHttpOperationsFromSpec(readDocumentForPrism()), {
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(`http://127.0.0.1:${port}`),
      upstreamProxy: undefined,
      errors: false,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      mock: { dynamic: false },
    },
    components: { logger: createLogger('prism', { level: 'silent' }) },
  });
  const address = await proxy.listen(0, '127.0.0.1');
  return { port: Number(new URL(address).port), close: () => proxy.close() };
}

/** Prism tells what it has found in a header, which it cuts where that is long. */
function readViolations(header: string): Violations {
  const found = { request: [] as string[], response: [] as string[] };
  const pattern = /\{"location":\["(request|response)"(.*?)\],"severity".*?"message":"((?:[^"\\]|\\.)*)"\}/g;
  for (const [, where = '', location = '', message = ''] of header.matchAll(pattern))
    found[where as keyof Violations].push(`${location.replace(',', '')} ${message}`.trim());
  return found;
}

function withoutConnection(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase())),
  );
}
