// Small random changes of a document, as somebody might make them: of a schema somewhere below an operation, or of the operation.
import type { Channel } from './channels.ts';
import { escape } from './channels.ts';
import { changeServers } from './servers.ts';

type Json = Record<string, unknown>;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function pick<Value>(values: readonly Value[], random: () => number): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('There is nothing to pick from.');
  return value;
}

/** Changes a schema in place and says what it did; undefined where it does not apply. */
type Mutator = (schema: Json, random: () => number) => string | undefined;

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const;

function hasType(schema: Json, ...types: readonly string[]): boolean {
  return [schema['type']].flat().some((type) => types.includes(String(type)));
}

const moveLimit: Mutator = (schema, random) => {
  const keyword = pick([...NUMBERS, ...COUNTS], random);
  const limit = schema[keyword];
  if (typeof limit !== 'number') return undefined;
  schema[keyword] = Math.max(keyword in NUMBERS ? -Infinity : 0, limit + pick([-5, -1, 1, 5], random));
  return `${keyword} ${limit} -> ${String(schema[keyword])}`;
};

const dropKeyword: Mutator = (schema, random) => {
  const present = [
    ...NUMBERS,
    ...COUNTS,
    'pattern',
    'format',
    'enum',
    'const',
    'required',
    'uniqueItems',
    'additionalProperties',
    'items',
    'type',
    'multipleOf',
  ].filter((keyword) => keyword in schema);
  if (present.length === 0) return undefined;
  const keyword = pick(present, random);
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the keyword is what is drawn
  delete schema[keyword];
  return `without ${keyword}`;
};

const setLimit: Mutator = (schema, random) => {
  const [keyword, limit] = hasType(schema, 'integer', 'number')
    ? [pick(NUMBERS, random), pick([0, 1, 10, 100], random)]
    : hasType(schema, 'string')
      ? [pick(['minLength', 'maxLength'], random), pick([1, 5, 30], random)]
      : hasType(schema, 'array')
        ? [pick(['minItems', 'maxItems'], random), pick([1, 2], random)]
        : ['', 0];
  if (keyword === '' || keyword in schema) return undefined;
  schema[keyword] = limit;
  return `${keyword} set to ${limit}`;
};

const changeType: Mutator = (schema, random) => {
  if (schema['type'] === undefined) return undefined;
  const before = [schema['type']].flat() as string[];
  const type = pick(TYPES, random);
  const after = before.includes(type)
    ? before.filter((each) => each !== type)
    : pick([[type], [...before, type]], random);
  if (after.length === 0) return undefined;
  schema['type'] = after.length === 1 ? after[0] : after;
  return `type ${before.join('|')} -> ${after.join('|')}`;
};

const changeEnum: Mutator = (schema, random) => {
  const values = schema['enum'];
  if (!Array.isArray(values) || values.length < 2) return undefined;
  const index = Math.floor(random() * values.length);
  schema['enum'] = pick([values.toSpliced(index, 1), [...(values as unknown[]), 'added_value']], random);
  return `enum of ${values.length} -> ${(schema['enum'] as unknown[]).length}`;
};

const closeVocabulary: Mutator = (schema) => {
  const branches = (schema['anyOf'] ?? []) as Json[];
  const closed = branches.filter((branch) => branch['type'] !== 'string' || 'enum' in branch);
  if (closed.length === 0 || closed.length === branches.length) return undefined;
  schema['anyOf'] = closed;
  return 'vocabulary closed';
};

const setPattern: Mutator = (schema, random) => {
  if (!hasType(schema, 'string')) return undefined;
  schema['pattern'] = pick(['^[a-z]+$', '^[^A]*$', '^.{0,10}$'], random);
  return `pattern set to ${String(schema['pattern'])}`;
};

const setFormat: Mutator = (schema, random) => {
  if (!hasType(schema, 'string')) return undefined;
  schema['format'] = pick(['uuid', 'date', 'email', 'uri'], random);
  return `format set to ${String(schema['format'])}`;
};

const changeRequired: Mutator = (schema, random) => {
  const names = Object.keys(schema['properties'] ?? {});
  if (names.length === 0) return undefined;
  const required = (schema['required'] ?? []) as string[];
  const name = pick(names, random);
  schema['required'] = required.includes(name)
    ? required.filter((each) => each !== name)
    : [...required, name];
  return `required of ${name} turned`;
};

const removeProperty: Mutator = (schema, random) => {
  const properties = (schema['properties'] ?? {}) as Json;
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  const name = pick(names, random);
  schema['properties'] = Object.fromEntries(Object.entries(properties).filter(([each]) => each !== name));
  schema['required'] = ((schema['required'] ?? []) as string[]).filter((each) => each !== name);
  return `property ${name} removed`;
};

const renameProperty: Mutator = (schema, random) => {
  const properties = (schema['properties'] ?? {}) as Json;
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  const name = pick(names, random);
  const rename = (each: string): string => (each === name ? `${name}_renamed` : each);
  schema['properties'] = Object.fromEntries(
    Object.entries(properties).map(([each, value]) => [rename(each), value]),
  );
  if (Array.isArray(schema['required'])) schema['required'] = (schema['required'] as string[]).map(rename);
  return `property ${name} renamed`;
};

const addProperty: Mutator = (schema, random) => {
  if (schema['properties'] === undefined) return undefined;
  schema['properties'] = { ...(schema['properties'] as Json), added_property: { type: 'integer' } };
  const isRequired = random() < 0.3;
  if (isRequired) schema['required'] = [...((schema['required'] ?? []) as string[]), 'added_property'];
  return `property added${isRequired ? ', required' : ''}`;
};

const turnClosed: Mutator = (schema) => {
  if (schema['properties'] === undefined) return undefined;
  schema['additionalProperties'] = schema['additionalProperties'] !== false ? false : true;
  return `additionalProperties ${String(schema['additionalProperties'])}`;
};

const changeBranches: Mutator = (schema, random) => {
  const keyword = ['anyOf', 'oneOf', 'allOf'].find((each) => Array.isArray(schema[each]));
  if (keyword === undefined) return undefined;
  const branches = schema[keyword] as unknown[];
  const index = Math.floor(random() * branches.length);
  const added = {
    type: 'object',
    properties: { added_branch: { type: 'integer' } },
    required: ['added_branch'],
  };
  schema[keyword] =
    random() < 0.5 && branches.length > 1 ? branches.toSpliced(index, 1) : [...branches, added];
  return `${keyword} of ${branches.length} -> ${(schema[keyword] as unknown[]).length}`;
};

const SCHEMA_MUTATORS: readonly Mutator[] = [
  moveLimit,
  dropKeyword,
  setLimit,
  changeType,
  changeEnum,
  closeVocabulary,
  setPattern,
  setFormat,
  changeRequired,
  removeProperty,
  renameProperty,
  addProperty,
  turnClosed,
  changeBranches,
];

function nodeAt(root: Json, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, each) => (node as Json)[each.replaceAll('~1', '/').replaceAll('~0', '~')], root);
}

/** The pointers of the schemas below one, references followed. */
function childrenOf(root: Json, pointer: string): readonly string[] {
  const schema = nodeAt(root, pointer) as Json;
  const children: string[] = [];
  if (typeof schema['$ref'] === 'string') children.push(schema['$ref'].slice(1));
  for (const name of Object.keys(schema['properties'] ?? {}))
    children.push(`${pointer}/properties/${escape(name)}`);
  for (const keyword of ['items', 'additionalProperties'])
    if (typeof schema[keyword] === 'object') children.push(`${pointer}/${keyword}`);
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'prefixItems'])
    ((schema[keyword] ?? []) as unknown[]).forEach((_, index) =>
      children.push(`${pointer}/${keyword}/${index}`),
    );
  return children;
}

/** All schemas that a channel is made of. */
function listSchemas(root: Json, channel: Channel): readonly string[] {
  const found = new Set<string>();
  const visit = (pointer: string): void => {
    if (found.has(pointer)) return;
    found.add(pointer);
    childrenOf(root, pointer).forEach(visit);
  };
  channel.pointers.forEach(visit);
  return [...found];
}

/** A change of the parameters, the servers or the body of an operation, or its removal. */
function mutateOperation(root: Json, channel: Channel, random: () => number): string | undefined {
  const pointer = channel.pointers.length > 0 ? pick(channel.pointers, random).replace(/\/schema$/, '') : '';
  const node = pointer === '' ? undefined : (nodeAt(root, pointer) as Json);
  if (node !== undefined && 'in' in node && node['in'] !== 'path') {
    node['required'] = node['required'] !== true;
    return `parameter ${String(node['name'])} ${node['required'] === true ? 'required' : 'optional'}`;
  }
  if (channel.direction !== 'request') return undefined;
  const [method = '', path = ''] = channel.name.split(' ');
  const item = nodeAt(root, `/paths/${escape(path)}`) as Json;
  if (random() < 0.3) {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the method is what is drawn
    delete item[method];
    return 'operation removed';
  }
  if (random() < 0.3) return changeServers(root, item, item[method] as Json, random);
  const body = (item[method] as Json | undefined)?.['requestBody'] as Json | undefined;
  if (body === undefined || '$ref' in body) return undefined;
  body['required'] = body['required'] !== true;
  return `body ${body['required'] === true ? 'required' : 'optional'}`;
}

/**
 * Changes a document in place, somewhere in what a channel sends: one time of ten the operation, otherwise a schema. Says what
 * it did and where.
 */
export function mutate(root: Json, channel: Channel, random: () => number): string {
  const schemas = listSchemas(root, channel);
  for (;;) {
    if (random() < 0.1 || schemas.length === 0) {
      const done = mutateOperation(root, channel, random);
      if (done !== undefined) return `${channel.name}: ${done}`;
      if (schemas.length === 0) return `${channel.name}: nothing`;
    }
    const pointer = pick(schemas, random);
    const done = pick(SCHEMA_MUTATORS, random)(nodeAt(root, pointer) as Json, random);
    if (done !== undefined) return `${channel.name} at ${pointer}: ${done}`;
  }
}
