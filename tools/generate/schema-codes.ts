import { KEYWORD_CODES } from '../../src/contract/keyword-codes.ts';
import { resolveReference } from './document.ts';
import type { OpenApiDocument, OperationAt } from './document.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Of any request: a query parameter that is not known, and characters that cannot be kept. */
const CODES_OF_ANY_REQUEST = ['unknown_property', 'text'];

/** The field codes with which a request of an operation can break the schemas of its parameters and of its body. */
export function listSchemaCodes(
  document: OpenApiDocument,
  { operation, parameters }: OperationAt,
): ReadonlySet<string> {
  const codes = new Set(CODES_OF_ANY_REQUEST);
  for (const { in: place, required = false, schema } of parameters) {
    // Text in a path or header is a string whatever it says; in a query it may be no number, or be given twice.
    for (const keyword of listKeywords(document, schema))
      if (keyword !== 'type' || place === 'query') addCode(codes, keyword);
    if (place === 'query') addCode(codes, 'type');
    if (required && place !== 'path') addCode(codes, 'required');
  }
  const body = bodySchema(document, operation.requestBody);
  if (body === undefined) return codes;
  for (const keyword of listKeywords(document, body)) addCode(codes, keyword);
  // A null in place of a value of another type.
  return codes.add('null_not_allowed');
}

function addCode(codes: Set<string>, keyword: string): void {
  const code = KEYWORD_CODES[keyword];
  if (code !== undefined) codes.add(code);
}

function bodySchema(document: OpenApiDocument, requestBody: unknown): unknown {
  if (requestBody === undefined) return undefined;
  const { content } = resolveReference<{ content: Record<string, { schema?: unknown }> }>(
    document,
    requestBody,
  );
  return content['application/json']?.schema;
}

/** The keywords of a schema, and of all below it, that a value can break. */
function listKeywords(
  document: OpenApiDocument,
  schema: unknown,
  seen = new Set<Schema>(),
): ReadonlySet<string> {
  const node = resolveReference<Schema>(document, schema ?? {});
  if (seen.has(node)) return new Set();
  seen.add(node);
  // The validator takes no value of it, whatever the schema says beside.
  if ('x-immutable' in node) return new Set(['not']);
  const own = Object.keys(node).filter((keyword) => canBeBroken(keyword, node[keyword]));
  const below = listParts(node).flatMap((part) => [...listKeywords(document, part, seen)]);
  return new Set([...own, ...below]);
}

function canBeBroken(keyword: string, value: unknown): boolean {
  if (keyword === 'additionalProperties') return value === false;
  return keyword !== 'required' || (value as readonly unknown[]).length > 0;
}

function listParts(node: Schema): unknown[] {
  const { properties = {}, items, additionalProperties } = node;
  const choices = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (node[key] ?? []) as unknown[]);
  const single = [items, additionalProperties].filter((each) => typeof each === 'object');
  return [...Object.values(properties as Schema), ...choices, ...single];
}
