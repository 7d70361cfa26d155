import { followReference, isRecord } from './place.ts';
import type { Place, Schema } from './place.ts';

/** Keywords that say nothing about which instances are valid. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  '$defs',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'default',
  'deprecated',
  'description',
  'discriminator',
  'example',
  'examples',
  'externalDocs',
  'readOnly',
  'title',
  'writeOnly',
  'xml',
]);

const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMAS: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const UNORDERED: ReadonlySet<string> = new Set(['required', 'enum', 'type']);

/** Whether a keyword constrains instances. */
export function isAssertion(keyword: string): boolean {
  return !ANNOTATIONS.has(keyword) && !keyword.startsWith('x-');
}

const texts = new WeakMap<object, string | null>();
const underWay = new Set<object>();

/**
 * A text that two schemas share only when they are valid for the same instances word for word: without annotations, with
 * references followed, in one order. Undefined for a schema that contains itself.
 */
export function canonicalText({ root, schema }: Pick<Place, 'root' | 'schema'>): string | undefined {
  if (typeof schema === 'boolean') return String(schema);
  const known = texts.get(schema);
  if (known !== undefined) return known ?? undefined;
  if (underWay.has(schema)) return undefined;
  underWay.add(schema);
  try {
    const text = writeSchema(root, schema);
    // What is asked for within a circle depends on where one came in: only its end is kept.
    if (text !== undefined || underWay.size === 1) texts.set(schema, text ?? null);
    return text;
  } finally {
    underWay.delete(schema);
  }
}

function writeSchema(root: object, schema: Readonly<Record<string, unknown>>): string | undefined {
  const parts: string[] = [];
  for (const keyword of Object.keys(schema).toSorted()) {
    if (!isAssertion(keyword)) continue;
    const text = writeKeyword(root, keyword, schema[keyword]);
    if (text === undefined) return undefined;
    parts.push(`${keyword}:${text}`);
  }
  // A reference that stands alone is what it leads to.
  if (parts.length === 1 && parts[0]?.startsWith('$ref:')) return parts[0].slice('$ref:'.length);
  return parts.length === 0 ? 'true' : `{${parts.join(',')}}`;
}

function writeKeyword(root: object, keyword: string, value: unknown): string | undefined {
  if (keyword === '$ref') return canonicalText(followReference(root, value as string));
  if (SCHEMAS.has(keyword)) return canonicalText({ root, schema: value as Schema });
  if (LISTS_OF_SCHEMAS.has(keyword))
    return joinWhole((value as Schema[]).map((schema) => canonicalText({ root, schema })));
  if (MAPS_OF_SCHEMAS.has(keyword))
    return joinWhole(
      Object.entries(value as Record<string, Schema>)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, schema]) => {
          const text = canonicalText({ root, schema });
          return text === undefined ? undefined : `${JSON.stringify(name)}:${text}`;
        }),
    );
  if (UNORDERED.has(keyword) && Array.isArray(value))
    return `[${value
      .map((each) => writeValue(each))
      .toSorted()
      .join(',')}]`;
  return writeValue(value);
}

function joinWhole(texts: readonly (string | undefined)[]): string | undefined {
  return texts.includes(undefined) ? undefined : `[${texts.join(',')}]`;
}

/** A JSON value with its members in one order. */
export function writeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => writeValue(each)).join(',')}]`;
  if (isRecord(value))
    return `{${Object.keys(value)
      .toSorted()
      .map((name) => `${JSON.stringify(name)}:${writeValue(value[name])}`)
      .join(',')}}`;
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
