import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import type { ErrorRequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { formats } from '../../src/domain/api/formats.ts';
import { sendPlainRequest } from './plain-request.ts';

export interface Exchange {
  /** As the document has it: /org/{org_id}/users */
  readonly path: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly answer: { readonly status: number; readonly type: string; readonly text: string };
}

export interface Violations {
  /** Why the library refuses the request; undefined when it takes it. */
  readonly request: string | undefined;
  /** Why it finds the answer to break the document; undefined when it does not. */
  readonly response: string | undefined;
}

/**
 * express-openapi-validator as a second validator of the operations of one path: an app that does nothing but validate, and that
 * replays our own answer as if it were its handler's.
 */
class PathValidator {
  readonly #server: Server;
  /** One connection for all questions. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #port: Promise<number> | undefined;
  #answer: Exchange['answer'] | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    const app = express();
    app.use(
      express.json({ limit: '20mb', strict: false, type: 'application/json' }),
      express.urlencoded({ extended: false }),
    );
    app.use(
      OpenApiValidator.middleware({
        apiSpec: documentOfPath(path) as never,
        validateApiSpec: false,
        validateSecurity: false,
        validateRequests: { allowUnknownQueryParameters: false },
        validateResponses: true,
        formats: Object.fromEntries(
          Object.entries(formats).map(([name, validate]) => [name, { type: 'string' as const, validate }]),
        ),
      }),
    );
    app.use((_request, response) => {
      const { status = 500, text = '' } = this.#answer ?? {};
      response.status(status).set('x-reached', 'reached');
      const type = this.#answer?.type ?? '';
      if (text === '') response.end();
      else if (type === 'text/event-stream') response.type(type).send(text);
      else response.type(type).json(JSON.parse(text));
    });
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- express tells an error handler by its four parameters
    app.use(((error: { status?: number; message: string }, _request, response, _next) => {
      response
        .status(error.status ?? 500)
        .set('x-violation', encodeURIComponent(error.message.slice(0, 2000)))
        .end();
    }) satisfies ErrorRequestHandler);
    this.#server = createServer({ keepAliveTimeout: 0 }, app);
    // Nothing here keeps the process from ending.
    this.#server.unref().on('connection', (socket) => socket.unref());
  }

  /** One exchange after the other, since the answer to replay is kept aside. */
  validate(exchange: Exchange): Promise<Violations> {
    const violations = this.#queue.then(() => this.#validate(exchange));
    this.#queue = violations.catch(() => undefined);
    return violations;
  }

  async #validate({ method, url, headers, body, answer }: Exchange): Promise<Violations> {
    this.#answer = answer;
    this.#port ??= this.#listen();
    const replay = await sendPlainRequest({
      method,
      port: await this.#port,
      url,
      headers,
      body,
      agent: this.#agent,
    });
    const error = replay.headers['x-violation'];
    const message = error === undefined ? undefined : decodeURIComponent(String(error));
    const reached = replay.headers['x-reached'] !== undefined;
    return { request: reached ? undefined : message, response: reached ? message : undefined };
  }

  async #listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }
}

type Node = Readonly<Record<string, unknown>>;
interface Document extends Node {
  readonly paths: Readonly<Record<string, Node>>;
  readonly components: Readonly<Record<string, Node>>;
}

const wholeDocument = withoutExamples(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8')),
) as Document;

const REFERENCE = /^#\/components\/(\w+)\/([\w.-]+)$/;

/**
 * The document with one path and what that refers to. The library walks through everything that its document holds once for
 * each answer that it compiles: of the whole document that would be half a minute.
 */
function documentOfPath(path: string): Document {
  const item = wholeDocument.paths[path];
  if (item === undefined) throw new Error(`The document has no path ${path}.`);
  const { securitySchemes = {}, ...others } = wholeDocument.components;
  const components: Record<string, Record<string, unknown>> = { securitySchemes };
  const addWhatIsReferredTo = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      const [, kind, id = ''] = name === '$ref' ? (REFERENCE.exec(String(value)) ?? []) : [];
      const known = kind === undefined ? undefined : (components[kind] ??= {});
      if (kind !== undefined && known !== undefined && !(id in known)) {
        known[id] = others[kind]?.[id];
        addWhatIsReferredTo(known[id]);
      }
      addWhatIsReferredTo(value);
    }
  };
  addWhatIsReferredTo(item);
  return structuredClone({ ...wholeDocument, webhooks: {}, paths: { [path]: item }, components });
}

/** The document without its examples, which say nothing of what is valid and are most of it. */
function withoutExamples(node: unknown, isSchemaByName = false): unknown {
  if (Array.isArray(node)) return node.map((each) => withoutExamples(each));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name]) => isSchemaByName || (name !== 'example' && name !== 'examples'))
      .map(([name, value]) => [name, withoutExamples(value, name === 'properties')]),
  );
}

const validators = new Map<string, PathValidator>();

/** Asks the library about an exchange. What it compiles is kept for all tests of a process. */
export function validateExchange(exchange: Exchange): Promise<Violations> {
  const validator = validators.get(exchange.path) ?? new PathValidator(exchange.path);
  validators.set(exchange.path, validator);
  return validator.validate(exchange);
}
