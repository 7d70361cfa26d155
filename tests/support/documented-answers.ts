// Whether an answer is one of the document's: its status, its media type and its body, by a validator of JSON Schema.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Route } from '../../generated/routes.ts';
import { formats } from '../../src/domain/api/formats.ts';

const DOCUMENT = 'document';

// Formats of numbers are only hints.
const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, formats: { ...formats } });
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
) as Readonly<Record<string, unknown>>;
ajv.addSchema(document, DOCUMENT);

interface GivenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What is wrong with an answer to a request of the operation; undefined where nothing is. */
export function findAnswerFault(
  { path, method }: Route,
  { status, headers, text }: GivenAnswer,
): string | undefined {
  const answer = find(['paths', path, method, 'responses', String(status)]);
  if (answer === undefined) return `status ${status} is not documented`;
  const types = find([...answer, 'content']);
  if (types === undefined) return text === '' ? undefined : `a body with status ${status}, which has none`;
  const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
  if (text === '' && type === '') return `status ${status} without its body`;
  const schema = find([...types, type, 'schema']);
  if (schema === undefined) return `type ${type} of status ${status} is not documented`;
  if (!type.endsWith('json')) return undefined;
  const validate = compile(schema);
  if (validate(JSON.parse(text))) return undefined;
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
