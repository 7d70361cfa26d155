import { resolveReference } from './schema-fields.ts';
import type { Node } from './schema-fields.ts';

/** The codes that an answer may carry, and those of the entries of its `errors`. */
export interface Codes {
  readonly problems: readonly string[];
  readonly fields: readonly string[];
}

/** The codes that the document names for the answer of an error: in its schema as enumerated values, and in its examples. */
export function listCodes(document: Node, response: Node): Codes {
  const media = Object.values((response['content'] ?? {}) as Record<string, Node>);
  const problems = new Set<string>();
  const fields = new Set<string>();
  for (const each of media) {
    const schemas = alternativesOf(document, each['schema']);
    for (const code of valuesOf(document, schemas, 'code')) problems.add(code);
    const entries = schemas
      .map((schema) => propertyOf(schema, 'errors'))
      .flatMap((errors) => {
        const list = alternativesOf(document, errors);
        return list.flatMap((item) => alternativesOf(document, item['items']));
      });
    for (const code of valuesOf(document, entries, 'code')) fields.add(code);
    for (const example of exampleValuesOf(document, each)) {
      if (typeof example['code'] === 'string') problems.add(example['code']);
      for (const entry of (example['errors'] ?? []) as Node[])
        if (typeof entry['code'] === 'string') fields.add(entry['code']);
    }
  }
  return { problems: [...problems], fields: [...fields] };
}

/** The example bodies of a media type. */
export function exampleValuesOf(document: Node, media: Node): Node[] {
  const named = Object.values((media['examples'] ?? {}) as Record<string, unknown>);
  const values = [media['example'], ...named.map((each) => resolveReference(document, each)['value'])];
  return values.filter((value): value is Node => typeof value === 'object' && value !== null);
}

/** A schema with all that it is put together from or chooses among, references followed. */
function alternativesOf(document: Node, schema: unknown): Node[] {
  if (schema === undefined) return [];
  const node = resolveReference(document, schema);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (node[key] ?? []) as readonly unknown[]);
  return [node, ...parts.flatMap((part) => alternativesOf(document, part))];
}

function propertyOf(schema: Node, name: string): unknown {
  return (schema['properties'] as Node | undefined)?.[name];
}

/** The enumerated values of a property of any of the schemas. */
function valuesOf(document: Node, schemas: readonly Node[], name: string): string[] {
  const values = schemas
    .flatMap((schema) => alternativesOf(document, propertyOf(schema, name)))
    .flatMap((schema) => [schema['const'], schema['enum'], schema['x-known-values']].flat());
  return values.filter((value): value is string => typeof value === 'string');
}
