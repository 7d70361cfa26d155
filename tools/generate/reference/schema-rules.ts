import { resolveReference } from './schema-fields.ts';
import type { Node } from './schema-fields.ts';

/** What must hold of several fields together, and the code of the error when it does not. */
export interface Rule {
  readonly fields: readonly string[];
  /** A sentence. */
  readonly rule: string;
  readonly code: string;
}

/** The rules (`x-rules`) of a parameter. */
export function listOwnRules(node: Node): readonly Rule[] {
  return (node['x-rules'] ?? []) as readonly Rule[];
}

/** The rules of a schema and of all that it holds; fields are named as `listSchemaFields` does. */
export function listSchemaRules(
  document: Node,
  schema: unknown,
  prefix = '',
  above: readonly Node[] = [],
): Rule[] {
  const node = resolveReference(document, schema);
  if (above.includes(node)) return [];
  const below = (part: unknown, place: string): Rule[] =>
    listSchemaRules(document, part, place, [...above, node]);
  const { properties = {}, items } = node as { properties?: object; items?: unknown };
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (node[key] ?? []) as readonly unknown[]);
  return [
    ...listOwnRules(node).map((rule) => ({
      ...rule,
      fields: rule.fields.map((field) => joinNames(prefix, field)),
    })),
    ...Object.entries(properties).flatMap(([name, property]) => below(property, joinNames(prefix, name))),
    ...(items === undefined ? [] : below(items, `${prefix}[]`)),
    ...parts.flatMap((part) => below(part, prefix)),
  ];
}

function joinNames(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}
