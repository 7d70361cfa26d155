// What the document says of a request and of its answer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { AskedOperation } from '../../bench/equivalence/document.ts';
import type { Answer } from '../../bench/equivalence/exchange.ts';
import type { RandomRequest } from '../../bench/equivalence/requests.ts';
import { formats } from '../../src/domain/api/formats.ts';
import { validateExchange } from '../support/contract-validator.ts';

const DOCUMENT = 'document';
const TAKEN = { status: 204, type: '', text: '' };

// Formats of numbers are only hints.
const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, formats: { ...formats } });
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
) as Readonly<Record<string, unknown>>;
ajv.addSchema(document, DOCUMENT);

/** Whether the document allows the request, by a second validator; undefined where it is none of the operation's. */
export async function isAllowed(
  { route }: AskedOperation,
  { method, target, headers, body }: RandomRequest,
): Promise<boolean | undefined> {
  if (method.toLowerCase() !== route.method || !isPathOf(target, route.path)) return undefined;
  const asked = { path: route.path, method, url: target, headers, body, answer: TAKEN };
  return (await validateExchange(asked)).request === undefined;
}

/** Whether a target is one of a path of the document; a segment of dots is resolved by every client. */
function isPathOf(target: string, path: string): boolean {
  const [own = ''] = target.split('?');
  const wanted = path.split('/');
  const segments = own.split('/');
  return (
    segments.length === wanted.length &&
    segments.every((segment, i) =>
      wanted[i]?.startsWith('{') ? !['', '.', '..'].includes(segment) : segment === wanted[i],
    )
  );
}

/** Whether the service itself has failed, whatever it was asked: how; undefined where it has not. */
export function failureOf({ status, body }: Answer): string | undefined {
  if (status === 0) return `no answer: ${body}`;
  return status >= 500 ? `status ${status}` : undefined;
}

/** What is wrong with the answer to a request of the operation; undefined where nothing is. */
export function faultOf({ route }: AskedOperation, answered: Answer): string | undefined {
  const failure = failureOf(answered);
  if (failure !== undefined) return failure;
  const { status, headers, body } = answered;
  const operation = ['paths', route.path, route.method];
  const answer = find([...operation, 'responses', String(status)]);
  if (answer === undefined) return `status ${status} is not documented`;
  const types = find([...answer, 'content']);
  if (types === undefined) return body === '' ? undefined : `a body with status ${status}, which has none`;
  const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
  if (body === '' && type === '') return `status ${status} without its body`;
  const schema = find([...types, type, 'schema']);
  if (schema === undefined) return `type ${type} of status ${status} is not documented`;
  if (!type.endsWith('json')) return undefined;
  const validate = compile(schema);
  if (validate(JSON.parse(body))) return undefined;
  return `body of status ${status}: ${ajv.errorsText(validate.errors)}`;
}

type Pointer = readonly string[];

/** Where the document has what a pointer leads to, through references; undefined where there is nothing. */
function find(pointer: Pointer): Pointer | undefined {
  let at: Pointer = [];
  for (const step of pointer) {
    at = follow(at);
    if (!(step in (valueAt(at) ?? {}))) return undefined;
    at = [...at, step];
  }
  return follow(at);
}

function follow(pointer: Pointer): Pointer {
  const { $ref: reference } = (valueAt(pointer) ?? {}) as { readonly $ref?: string };
  if (reference === undefined) return pointer;
  return follow(reference.replace(/^#\//, '').split('/').map(unescapeStep));
}

function valueAt(pointer: Pointer): Readonly<Record<string, unknown>> | undefined {
  let value: unknown = document;
  for (const step of pointer) value = (value as Readonly<Record<string, unknown>>)[step];
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

const unescapeStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');
const escapeStep = (step: string): string =>
  encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));

const compiled = new Map<string, ValidateFunction>();

function compile(pointer: Pointer): ValidateFunction {
  const name = `${DOCUMENT}#/${pointer.map(escapeStep).join('/')}`;
  const validate = compiled.get(name) ?? ajv.compile({ $ref: name });
  compiled.set(name, validate);
  return validate;
}
