import { parseExampleSource } from '../example-sources.ts';
import type { ExampleSource } from '../example-sources.ts';
import { listCodes } from './codes.ts';
import type { Codes } from './codes.ts';
import { describeSchema, listSchemaFields, resolveReference } from './schema-fields.ts';
import type { Field, Node } from './schema-fields.ts';
import { listOwnRules, listSchemaRules } from './schema-rules.ts';
import type { Rule } from './schema-rules.ts';

export interface ParameterView extends Field {
  readonly location: 'path' | 'query' | 'header';
  readonly format: string;
  /** Its example as text; undefined where the document has none. */
  readonly example: string | undefined;
  /** Where its value comes from in practice; undefined where the document does not say. */
  readonly source: ExampleSource | undefined;
}

interface Example {
  readonly title: string;
  readonly value: unknown;
}

export interface BodyView {
  readonly types: readonly string[];
  readonly description: string;
  readonly isRequired: boolean;
  readonly fields: readonly Field[];
  readonly rules: readonly Rule[];
  readonly examples: readonly Example[];
}

export interface ResponseView {
  readonly status: string;
  readonly description: string;
  readonly body: BodyView | undefined;
  /** Headers beside those that every answer has. */
  readonly headers: readonly Field[];
  /** The codes that the document names for the answer of an error. */
  readonly codes: Codes;
}

export interface OperationView {
  readonly id: string;
  /** The name of a message, `device.action_required`; undefined for an operation. */
  readonly message: string | undefined;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** What a caller shows: an access token, the client's credentials, or nothing. */
  readonly access: 'token' | 'client' | 'none';
  /** Bytes that a body may have, where that is not the limit of all. */
  readonly mostBodyBytes: number | undefined;
  readonly isExtension: boolean;
  readonly isDeprecated: boolean;
  readonly parameters: readonly ParameterView[];
  /** What must hold of several parameters together. */
  readonly rules: readonly Rule[];
  readonly body: BodyView | undefined;
  readonly responses: readonly ResponseView[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Every operation of the document, then every message that it sends, references followed. */
export function listOperationViews(document: Node): OperationView[] {
  return (['paths', 'webhooks'] as const).flatMap((key) => {
    const items = Object.entries((document[key] ?? {}) as Record<string, Node>);
    return items.flatMap(([path, item]) =>
      METHODS.filter((method) => item[method] !== undefined).map((method) => {
        const operation = item[method] as Node;
        const parameters = [item['parameters'], operation['parameters']].flatMap((each) => each ?? []);
        const message = key === 'webhooks' ? path : undefined;
        return toView(document, { path, method, operation, parameters, message });
      }),
    );
  });
}

interface OperationAt {
  readonly path: string;
  readonly method: string;
  readonly operation: Node;
  readonly parameters: readonly unknown[];
  readonly message: string | undefined;
}

function toView(document: Node, at: OperationAt): OperationView {
  const { path, method, operation, parameters, message } = at;
  const responses = Object.entries(operation['responses'] as Record<string, unknown>);
  return {
    id: text(operation['operationId']),
    message,
    tag: text((operation['tags'] as readonly unknown[] | undefined)?.[0]),
    method: method.toUpperCase(),
    path,
    summary: text(operation['summary']),
    description: text(operation['description']).trim(),
    access: accessOf((operation['security'] ?? document['security']) as readonly Node[]),
    mostBodyBytes: operation['x-max-body-bytes'] as number | undefined,
    isExtension: operation['x-extension'] === true,
    isDeprecated: operation['deprecated'] === true,
    parameters: parameters.map((each) =>
      parameterView(document, resolveReference(document, each), operation),
    ),
    rules: parameters.flatMap((each) => listOwnRules(resolveReference(document, each))),
    body: bodyView(document, operation['requestBody']),
    responses: responses.map(([status, each]) => {
      const response = resolveReference(document, each);
      const isSuccess = status.startsWith('2');
      return {
        status,
        description: text(response['description']),
        body: isSuccess ? bodyView(document, response) : undefined,
        headers: headersOf(document, response),
        codes: isSuccess ? { problems: [], fields: [] } : listCodes(document, response),
      };
    }),
  };
}

/** Headers of every answer, which the guide explains. */
const COMMON_HEADERS = new Set(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']);

function headersOf(document: Node, response: Node): Field[] {
  const headers = Object.entries((response['headers'] ?? {}) as Record<string, unknown>);
  return headers
    .filter(([name]) => !COMMON_HEADERS.has(name))
    .map(([name, each]) => {
      const header = resolveReference(document, each);
      const described = describeSchema(document, header['schema']);
      const isRequired = header['required'] === true;
      return { name, isRequired, only: [], ...described, description: text(header['description']) };
    });
}

function accessOf(security: readonly Node[]): OperationView['access'] {
  if (security.some((each) => 'oauth2' in each)) return 'token';
  return security.some((each) => 'basic' in each) ? 'client' : 'none';
}

function parameterView(document: Node, parameter: Node, operation: Node): ParameterView {
  const schema = resolveReference(document, parameter['schema']);
  const described = describeSchema(document, parameter['schema']);
  const example = parameter['example'] ?? schema['example'];
  const sources = (operation['x-example-from'] ?? {}) as Readonly<Record<string, string>>;
  const source = sources[text(parameter['name'])] ?? (parameter['x-example-from'] as string | undefined);
  return {
    name: text(parameter['name']),
    location: parameter['in'] as ParameterView['location'],
    isRequired: parameter['required'] === true,
    only: [],
    format: text(schema['format']),
    example: typeof example === 'string' ? example : JSON.stringify(example),
    source: source === undefined ? undefined : parseExampleSource(source),
    ...described,
    description: text(parameter['description']) || described.description,
  };
}

/** A request body or a response: media types, fields and examples of the first type that has them. */
function bodyView(document: Node, node: unknown): BodyView | undefined {
  const body = resolveReference(document, node);
  const { content = {} } = body as { content?: Record<string, Node> };
  const [first] = Object.values(content);
  if (first === undefined) return undefined;
  return {
    types: Object.keys(content),
    description: text(body['description']),
    isRequired: body['required'] === true,
    fields: listSchemaFields(document, first['schema']),
    rules: listSchemaRules(document, first['schema']),
    examples: examplesOf(document, first),
  };
}

function examplesOf(document: Node, media: Node): Example[] {
  const named = Object.values((media['examples'] ?? {}) as Record<string, unknown>).map((each) =>
    resolveReference(document, each),
  );
  const single = media['example'] ?? resolveReference(document, media['schema'])['example'];
  const list = single === undefined ? named : [{ summary: 'Example', value: single }];
  return list.map((each) => ({ title: text(each['summary']) || 'Example', value: each['value'] }));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
