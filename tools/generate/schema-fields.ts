/** A JSON schema or another node of the document. */
export type Node = Readonly<Record<string, unknown>>;

/** A line of a field table. */
export interface Field {
  /** `groups[].weights` */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly bounds: string;
  readonly description: string;
}

const MAX_DEPTH = 3;

/** The node that a `$ref` leads to, or the node itself; an empty one for undefined. */
export function resolveReference(document: Node, node: unknown): Node {
  const reference = (node as Node | undefined)?.['$ref'];
  if (typeof reference !== 'string') return (node ?? {}) as Node;
  const keys = reference.slice(2).split('/');
  const target = keys.reduce<unknown>(
    (at, key) => (at as Node | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  return resolveReference(document, target);
}

/** Every field of an object, or of the entries of an array, three levels deep. */
export function listSchemaFields(document: Node, schema: unknown, prefix = '', level = 0): Field[] {
  const node = withoutNull(document, schema);
  if (node['type'] === 'array') return listSchemaFields(document, node['items'], `${prefix}[]`, level);
  const alternatives = [...nodes(node['allOf']), ...nodes(node['oneOf']), ...nodes(node['anyOf'])];
  const own = Object.entries((node['properties'] ?? {}) as Record<string, unknown>);
  const required = (node['required'] ?? []) as readonly string[];
  const fields = own.flatMap(([key, property]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const below = level + 1 < MAX_DEPTH ? listSchemaFields(document, property, name, level + 1) : [];
    return [{ name, isRequired: required.includes(key), ...describeSchema(document, property) }, ...below];
  });
  const inherited = alternatives.flatMap((each) => listSchemaFields(document, each, prefix, level));
  return [...new Map([...fields, ...inherited].map((field) => [field.name, field])).values()];
}

/** The type, the bounds and the description of a schema, in words for a table. */
export function describeSchema(
  document: Node,
  schema: unknown,
): Pick<Field, 'type' | 'bounds' | 'description'> {
  const outer = (schema ?? {}) as Node;
  const node = withoutNull(document, schema);
  const description = outer['description'] ?? node['description'];
  return {
    type: typeOf(document, schema),
    bounds: boundsOf(node),
    description: typeof description === 'string' ? description : '',
  };
}

function typeOf(document: Node, schema: unknown): string {
  const followed = resolveReference(document, schema);
  const node = withoutNull(document, schema);
  const types = [node['type']].flat().filter((type): type is string => typeof type === 'string');
  const isNullable = isNullish(followed) || types.includes('null');
  const plain =
    types.filter((type) => type !== 'null').join(' or ') || (node['properties'] ? 'object' : 'any');
  const format = typeof node['format'] === 'string' ? ` (${node['format']})` : '';
  const text = plain === 'array' ? `array of ${typeOf(document, node['items'])}` : `${plain}${format}`;
  return isNullable ? `${text}, nullable` : text;
}

/** `anyOf: [X, null]` is shown as X. */
function withoutNull(document: Node, schema: unknown): Node {
  const node = resolveReference(document, schema);
  const others = nodes(node['anyOf']).filter((each) => each['type'] !== 'null');
  return isNullish(node) && others.length === 1 ? resolveReference(document, others[0]) : node;
}

function isNullish(node: Node): boolean {
  return nodes(node['anyOf']).some((each) => each['type'] === 'null');
}

function nodes(value: unknown): Node[] {
  return Array.isArray(value) ? (value as Node[]) : [];
}

const BOUND_DESCRIPTIONS: readonly (readonly [string, (value: unknown) => string])[] = [
  ['minimum', (value) => `≥ ${text(value)}`],
  ['exclusiveMinimum', (value) => `> ${text(value)}`],
  ['maximum', (value) => `≤ ${text(value)}`],
  ['minLength', (value) => `at least ${text(value)} characters`],
  ['maxLength', (value) => `at most ${text(value)} characters`],
  ['minItems', (value) => `at least ${text(value)} items`],
  ['maxItems', (value) => `at most ${text(value)} items`],
  ['pattern', (value) => `matches \`${text(value)}\``],
  ['const', (value) => `always \`${text(value)}\``],
  ['enum', (value) => `one of ${list(value)}`],
  ['x-known-values', (value) => `known values ${list(value)}`],
  ['default', (value) => `default \`${text(value)}\``],
];

function boundsOf(node: Node): string {
  return BOUND_DESCRIPTIONS.filter(([key]) => node[key] !== undefined)
    .map(([key, words]) => words(node[key]))
    .join('; ');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function list(value: unknown): string {
  const values = Array.isArray(value) ? value : Object.keys(value as object);
  return values.map((each) => `\`${text(each)}\``).join(', ');
}
