import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import type { ErrorRequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import request from 'supertest';
import { formats } from '../../src/domain/api/formats.ts';

export interface Exchange {
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
 * express-openapi-validator as a second validator: an app that does nothing but validate, and that replays our own
 * answer as if it were its handler's.
 */
class ContractValidator {
  readonly #server: Server;
  #answer: Exchange['answer'] | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor() {
    const app = express();
    const document: unknown = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
    );
    app.use(
      express.json({ limit: '20mb', strict: false, type: 'application/json' }),
      express.urlencoded({ extended: false }),
    );
    app.use(
      OpenApiValidator.middleware({
        apiSpec: withoutExamples(document) as never,
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
    this.#server = createServer(app);
  }

  /** One exchange after the other, since the answer to replay is kept aside. */
  validate(exchange: Exchange): Promise<Violations> {
    const violations = this.#queue.then(() => this.#validate(exchange));
    this.#queue = violations.catch(() => undefined);
    return violations;
  }

  async #validate({ method, url, headers, body, answer }: Exchange): Promise<Violations> {
    this.#answer = answer;
    const call = request(this.#server)[method as 'get'](url).set(headers);
    const replay =
      body === undefined
        ? await call
        : await call.serialize((data: Buffer) => data as never).send(body as never);
    const error = replay.headers['x-violation'];
    const message = error === undefined ? undefined : decodeURIComponent(error);
    const reached = replay.headers['x-reached'] !== undefined;
    return { request: reached ? undefined : message, response: reached ? message : undefined };
  }
}

/**
 * The document without its examples, which say nothing of what is valid: the library walks through everything that the
 * document holds once for each schema that it compiles, and most of that are examples.
 */
function withoutExamples(node: unknown, isSchemaByName = false): unknown {
  if (Array.isArray(node)) return node.map((each) => withoutExamples(each));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name]) => isSchemaByName || (name !== 'example' && name !== 'examples'))
      .map(([name, value]) => [name, withoutExamples(value, name === 'properties')]),
  );
}

/** One for all tests of a process: to compile the schemas takes seconds. */
export const contractValidator = new ContractValidator();
