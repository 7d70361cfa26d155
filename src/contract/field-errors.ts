import type { ErrorObject } from 'ajv';
import { FIELD_ERRORS_SOUGHT } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { KEYWORD_CODES } from './keyword-codes.ts';

const DECIMAL_PATTERN = /^-?\d+(?:\.\d+)?$/;

type Describe = (params: Record<string, unknown>) => string;

/** The sentence that names a rule and how to keep it, by ajv's keyword. */
const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  required: (p) => `"${text(p['missingProperty'])}" is required.`,
  additionalProperties: (p) => `"${text(p['additionalProperty'])}" is not known here; remove it.`,
  type: (p) => `Must be of type ${[p['type']].flat().map(text).join(' or ')}.`,
  format: (p) => `Must be ${FORMAT_DESCRIPTIONS[text(p['format'])] ?? `in the format ${text(p['format'])}`}.`,
  pattern: (p) => `Must match the pattern ${text(p['pattern'])}.`,
  enum: (p) => `Must be one of ${(p['allowedValues'] as unknown[]).map(text).join(', ')}.`,
  minimum: (p) => `Must be ${text(p['limit'])} or more.`,
  maximum: (p) => `Must be ${text(p['limit'])} or less.`,
  exclusiveMinimum: (p) => `Must be more than ${text(p['limit'])}.`,
  minLength: (p) => `Must have at least ${text(p['limit'])} characters.`,
  maxLength: (p) => `Must have at most ${text(p['limit'])} characters.`,
  minItems: (p) => `Must have at least ${text(p['limit'])} items.`,
  maxItems: (p) => `Must have at most ${text(p['limit'])} items.`,
  not: () => 'Cannot be changed after creation; leave it out.',
};

const FORMAT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  email: 'an email address',
  uri: 'an absolute URL',
  iri: 'an absolute URL',
  'date-time': 'an ISO 8601 instant',
  instant: 'an ISO 8601 instant, such as 2026-11-21T08:15:00Z',
  'path-segment': 'another text than "." and "..", which the path of an address cannot hold',
};

/**
 * The errors of a body from those of its ajv validator: each once, with its JSON pointer (RFC 6901); as many as an answer
 * tells, and one more.
 */
export function toBodyErrors(errors: readonly ErrorObject[], body: unknown): FieldError[] {
  return firstDistinct(errors, (error) => {
    const pointer = error.instancePath + childPointer(error);
    return { pointer, ...describe(error, valueAt(body, error.instancePath) === null) };
  });
}

/** The errors of path, query or header values from those of their ajv validator: each once, with the parameter's name. */
export function toParameterErrors(
  errors: readonly ErrorObject[],
  location: 'path' | 'query' | 'header',
): FieldError[] {
  return firstDistinct(errors, (error) => {
    const [, parameter = ''] = (error.instancePath + childPointer(error)).split('/');
    return { parameter: unescapePointer(parameter), in: location, ...describe(error, false) };
  });
}

/** Query values that were read as numbers without being written as such: `0x10`, ` 5`, or `1e400`, which is no number. */
export function findNonDecimalNumbers(
  sent: Readonly<Record<string, unknown>>,
  read: Readonly<Record<string, unknown>>,
): FieldError[] {
  return Object.entries(read).flatMap(([parameter, value]): FieldError[] => {
    const text = sent[parameter];
    if (typeof value !== 'number' || typeof text !== 'string' || DECIMAL_PATTERN.test(text)) return [];
    return [{ parameter, in: 'query', code: 'type', detail: 'Must be a number in decimal digits.' }];
  });
}

function describe(error: ErrorObject, isNull: boolean): { code: FieldError['code']; detail: string } {
  if (error.keyword === 'type' && isNull) {
    return { code: 'null_not_allowed', detail: 'Must not be null; leave it out or give a value.' };
  }
  const { keyword, params } = error;
  const words = DESCRIPTIONS[keyword] ?? (() => `Must satisfy "${keyword}".`);
  return { code: KEYWORD_CODES[keyword] ?? 'format', detail: words(params) };
}

/**
 * "Object or null" is written as anyOf; of its errors only those of the object's branch say what is wrong. That an
 * empty body has too many properties is said by the unknown properties themselves.
 */
function isRedundant(error: ErrorObject): boolean {
  return error.keyword === 'anyOf' || error.keyword === 'maxProperties' || isOfNull(error);
}

/** It says that a value is not null where that is one of two branches. */
function isOfNull({ keyword, params, schemaPath }: ErrorObject): boolean {
  return keyword === 'type' && params['type'] === 'null' && schemaPath.includes('/anyOf/');
}

/** The type of the object's branch is not the only one that is allowed. */
function nameBothTypes(errors: readonly ErrorObject[], error: ErrorObject): ErrorObject {
  const mayBeNull =
    error.keyword === 'type' &&
    errors.some((other) => isOfNull(other) && other.instancePath === error.instancePath);
  return mayBeNull ? { ...error, params: { type: [error.params['type'], 'null'] } } : error;
}

function childPointer(error: ErrorObject): string {
  const child: unknown = error.params['missingProperty'] ?? error.params['additionalProperty'];
  return typeof child === 'string' ? `/${child.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
}

function firstDistinct(
  errors: readonly ErrorObject[],
  toFieldError: (error: ErrorObject) => FieldError,
): FieldError[] {
  const seen = new Map<string, FieldError>();
  for (const error of errors) {
    if (isRedundant(error)) continue;
    const told = toFieldError(nameBothTypes(errors, error));
    const key = `${told.pointer ?? told.parameter ?? ''} ${told.code}`;
    if (!seen.has(key)) seen.set(key, told);
    if (seen.size === FIELD_ERRORS_SOUGHT) break;
  }
  return [...seen.values()];
}

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[unescapePointer(key)], body);
}

function unescapePointer(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
