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
  /** The choices among which the value has this field; empty where it always may. */
  readonly only: readonly string[];
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
  const own = Object.entries((node['properties'] ?? {}) as Record<string, unknown>);
  const required = (node['required'] ?? []) as readonly string[];
  const fields = own.flatMap(([key, property]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const below = level + 1 < MAX_DEPTH ? listSchemaFields(document, property, name, level + 1) : [];
    const isRequired = required.includes(key);
    return [{ name, isRequired, only: [], ...describeSchema(document, property) }, ...below];
  });
  const inherited = nodes(node['allOf']).flatMap((each) => listSchemaFields(document, each, prefix, level));
  const choices = choicesOf(node).map((choice) => ({
    label: labelOf(document, node, choice),
    fields: listSchemaFields(document, choice, prefix, level),
  }));
  const all = [...inherited, ...fields, ...mergeChoices(choices)];
  return [...new Map(all.map((field) => [`${field.name} ${field.only.join(' ')}`, field])).values()];
}

/** What a value may be, null left out. */
function choicesOf(node: Node): Node[] {
  return [...nodes(node['oneOf']), ...nodes(node['anyOf'])].filter((each) => each['type'] !== 'null');
}

/** What a choice is called: the value by which it is told from the others, or the name of its schema. */
function labelOf(document: Node, node: Node, choice: Node): string {
  const { propertyName } = (node['discriminator'] ?? {}) as { propertyName?: string };
  const parts = partsOf(document, choice);
  const property = parts.map((part) => (part['properties'] as Node | undefined)?.[propertyName ?? '']);
  const told = resolveReference(
    document,
    property.find((each) => each !== undefined),
  );
  const value = told['const'] ?? (told['enum'] as readonly unknown[] | undefined)?.[0];
  const reference = choice['$ref'];
  return text(value ?? (typeof reference === 'string' ? reference.split('/').at(-1) : ''));
}

function partsOf(document: Node, schema: unknown): Node[] {
  const node = resolveReference(document, schema);
  return [node, ...nodes(node['allOf']).flatMap((part) => partsOf(document, part))];
}

interface Choice {
  readonly label: string;
  readonly fields: readonly Field[];
}

/** The fields of all choices: what all have is told once, anything else with the choices that have it. */
function mergeChoices(choices: readonly Choice[]): Field[] {
  const names = new Set(choices.flatMap(({ fields }) => fields.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const found = choices.flatMap(({ label, fields }) =>
      fields.filter((field) => field.name === name).map((field) => ({ label, field })),
    );
    const forms = Map.groupBy(found, ({ field }) =>
      JSON.stringify({ ...field, bounds: withoutValue(field) }),
    );
    return [...forms.values()].flatMap((form) => {
      const [first] = form;
      if (first === undefined) return [];
      const labels = form.length === choices.length ? [] : form.map(({ label }) => label);
      const only = [...labels.filter((label) => label !== ''), ...first.field.only];
      return [{ ...first.field, bounds: joinValues(form.map(({ field }) => field.bounds)), only }];
    });
  });
}

const ONE_VALUE = /^(?:one of|always) (`[^`]*`)$/;

function withoutValue({ bounds }: Field): string {
  return ONE_VALUE.test(bounds) ? 'one value' : bounds;
}

/** The bounds of the same field in several choices: its value is one of theirs. */
function joinValues(bounds: readonly string[]): string {
  const values = new Set(bounds.map((each) => ONE_VALUE.exec(each)?.[1] ?? each));
  return values.size === 1 ? (bounds[0] ?? '') : `one of ${[...values].join(', ')}`;
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
    bounds: [boundsOf(node), ...choicesOf(node).map((choice) => boundsOfChoice(document, node, choice))]
      .filter((words) => words !== '')
      .join('; '),
    description: typeof description === 'string' ? description : '',
  };
}

function typeOf(document: Node, schema: unknown): string {
  const followed = resolveReference(document, schema);
  if (followed['x-immutable'] === true) return 'no value';
  const node = withoutNull(document, schema);
  const types = [node['type']].flat().filter((type): type is string => typeof type === 'string');
  const isNullable = isNullish(followed) || types.includes('null');
  const plain = types.filter((type) => type !== 'null').join(' or ') || typeOfParts(document, node);
  const format = typeof node['format'] === 'string' ? ` (${node['format']})` : '';
  const text = plain === 'array' ? `array of ${typeOf(document, node['items'])}` : `${plain}${format}`;
  return isNullable ? `${text}, nullable` : text;
}

/** The type of a schema that is put together from others, or chooses among them. */
function typeOfParts(document: Node, node: Node): string {
  if (node['properties'] !== undefined) return 'object';
  const parts = [...nodes(node['allOf']), ...choicesOf(node)].map((part) => typeOf(document, part));
  return [...new Set(parts)].join(' or ') || 'any';
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

/** Of values beside any other string it is said that they are known, since others may come. */
function boundsOfChoice(document: Node, node: Node, choice: Node): string {
  const words = boundsOf(resolveReference(document, choice));
  const isOpen = choicesOf(node).some(
    (each) => each['type'] === 'string' && each['enum'] === undefined && each['const'] === undefined,
  );
  return isOpen ? words.replace(/^(?:one of|always) /, 'known values ') : words;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function list(value: unknown): string {
  const values = Array.isArray(value) ? value : Object.keys(value as object);
  return values.map((each) => `\`${text(each)}\``).join(', ');
}
