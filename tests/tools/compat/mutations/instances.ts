// Instances of a schema at its edges: every bound met, every branch and value taken, every optional property there and missing.
// It shares no code with the comparison that it checks; whether an instance is valid is decided by ajv.
import fc from 'fast-check';

type Json = Record<string, unknown>;

/** Properties that an open object may have, of several types. */
const EXTRAS: readonly unknown[] = ['extra', 7, null, true, ['extra'], { extra: 1 }];

/** Longer texts and arrays than these are not made. */
const MOST_CHARACTERS = 20_000;
const MOST_ITEMS = 12_000;
const LONG_NAME = 'a_name_of_a_property_that_is_long';
const DEEPEST = 12;
const MOST_OF_A_SCHEMA = 1500;

const OF_FORMATS: Readonly<Record<string, readonly unknown[]>> = {
  uuid: ['4f8b2c1d-0e9a-4b7c-8d6e-5f4a3b2c1d0e'],
  'date-time': ['2026-11-21T10:15:30.250Z', '2026-11-21T10:15:30+02:00'],
  instant: ['2026-11-21T10:15:30.250Z', '2026-11-21T10:15', '2026-11-21T10:15:30+02:00'],
  date: ['2026-11-21'],
  email: ['somebody@example.com'],
  uri: ['https://example.com/path'],
  int32: [-2147483648, 2147483647],
  int64: [-9007199254740991, 9007199254740991],
};

/** What a generator is given beside the schema. */
export interface Hints {
  readonly root: object;
  /** Names that some schema gives to properties: an open object may have them, too. */
  readonly names: readonly string[];
  /** Texts that some schema names as a value: another one may take them, too. */
  readonly values: readonly string[];
  readonly seed: number;
}

/** Instances of a schema; most are valid for it, whether one is has to be asked. The first is the plainest. */
export function listInstances(schema: unknown, hints: Hints, depth = 0): readonly unknown[] {
  if (schema === true || schema === undefined) return EXTRAS;
  if (schema === false || depth > DEEPEST) return [];
  const node = schema as Json;
  const own: unknown[] = [];
  if (typeof node['$ref'] === 'string')
    own.push(...listInstances(follow(hints.root, node['$ref']), hints, depth + 1));
  for (const keyword of ['anyOf', 'oneOf'])
    for (const branch of (node[keyword] ?? []) as unknown[])
      own.push(...listInstances(branch, hints, depth + 1));
  const { allOf, ...rest } = node;
  if (Array.isArray(allOf)) return unique(listOfParts([...(allOf as unknown[]), rest], hints, depth));
  if ('const' in node) own.push(node['const']);
  if (Array.isArray(node['enum'])) own.push(...(node['enum'] as unknown[]));
  own.push(...((node['examples'] ?? []) as unknown[]), ...('example' in node ? [node['example']] : []));
  own.push(...listByType(node, hints, depth));
  if (own.length === 0 || !SHAPES.some((keyword) => keyword in node)) own.push(...EXTRAS);
  const [fitting, others] = [true, false].map((fits) =>
    own.filter((value) => fitsPlainly(node, value) === fits),
  );
  return unique([...(fitting ?? []), ...(others ?? [])]).slice(0, MOST_OF_A_SCHEMA);
}

function formatOf(node: Json): string {
  return typeof node['format'] === 'string' ? node['format'] : '';
}

/** A schema with one of these says of what type its instances are. */
const SHAPES = ['type', 'const', 'enum', '$ref', 'allOf', 'anyOf', 'oneOf'];

/** Whether a value meets the bounds of the schema itself: such values come first, so that objects are made of valid members. */
function fitsPlainly(node: Json, value: unknown): boolean {
  const limit = (keyword: string, none: number): number => Number(node[keyword] ?? none);
  if ('const' in node || 'enum' in node) return [node['const'], node['enum']].flat().includes(value);
  if (typeof value === 'number')
    return (
      value >= limit('minimum', -Infinity) &&
      value <= limit('maximum', Infinity) &&
      value > limit('exclusiveMinimum', -Infinity) &&
      value < limit('exclusiveMaximum', Infinity)
    );
  if (typeof value === 'string')
    return (
      value.length >= limit('minLength', 0) &&
      value.length <= limit('maxLength', Infinity) &&
      (typeof node['pattern'] !== 'string' || new RegExp(node['pattern'], 'u').test(value)) &&
      (OF_FORMATS[formatOf(node)] ?? [value]).includes(value)
    );
  return true;
}

function follow(root: object, reference: string): unknown {
  const segments = reference.slice(2).split('/');
  return segments.reduce<unknown>(
    (node, segment) => (node as Json)[segment.replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

/** Objects of all parts laid over each other: the instances of each part upon the plainest of the others. */
function listOfParts(parts: readonly unknown[], hints: Hints, depth: number): readonly unknown[] {
  const lists = parts.map((part) => listInstances(part, hints, depth + 1));
  const plain = lists.map((list) => list.find(isObject)).filter(isObject);
  const laid = lists.flatMap((list) =>
    list.map((each) => (isObject(each) ? Object.assign({}, ...plain, each) : each)),
  );
  return laid as unknown[];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unique(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

const GUESSES: readonly (readonly [keywords: readonly string[], type: string])[] = [
  [['properties', 'required', 'additionalProperties'], 'object'],
  [['items', 'prefixItems', 'maxItems', 'minItems'], 'array'],
  [['pattern', 'minLength', 'maxLength'], 'string'],
  [['minimum', 'maximum', 'multipleOf'], 'number'],
];

function listByType(node: Json, hints: Hints, depth: number): readonly unknown[] {
  const guessed = GUESSES.filter(([keywords]) => keywords.some((keyword) => keyword in node)).map(
    ([, type]) => type,
  );
  const types = node['type'] === undefined ? guessed : [node['type']].flat();
  return types.flatMap((type) => {
    if (type === 'null') return [null];
    switch (type as string) {
      case 'boolean':
        return [true, false];
      case 'integer':
      case 'number':
        return listNumbers(node, type === 'number');
      case 'string':
        return listTexts(node, hints);
      case 'array':
        return listArrays(node, hints, depth);
      default:
        return listObjects(node, hints, depth);
    }
  });
}

function listNumbers(node: Json, hasFractions: boolean): readonly number[] {
  const limits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
    .map((keyword) => node[keyword])
    .filter((limit) => typeof limit === 'number');
  const step = typeof node['multipleOf'] === 'number' ? node['multipleOf'] : 1;
  const edges = [0, ...limits].flatMap((edge) => [
    edge,
    edge + step,
    edge - step,
    edge + 5 * step,
    edge - 5 * step,
  ]);
  const far = [1e6, -1e6, 1e12, -1e12, ...((OF_FORMATS[formatOf(node)] ?? []) as number[])];
  const fractions = hasFractions ? [0, ...limits].flatMap((edge) => [edge + 0.25, edge - 0.25]) : [];
  return [...edges, ...far.map((each) => Math.trunc(each / step) * step), ...fractions];
}

function listTexts(node: Json, { seed, values }: Hints): readonly string[] {
  const texts: string[] = ((OF_FORMATS[formatOf(node)] ?? []) as string[]).slice();
  const [fewest, most] = [Number(node['minLength'] ?? 0), Number(node['maxLength'] ?? 40)];
  if (typeof node['pattern'] === 'string')
    texts.push(...fc.sample(fc.stringMatching(new RegExp(node['pattern'], 'u')), { seed, numRuns: 20 }));
  for (const length of [fewest, fewest + 1, most, most - 1])
    for (const letter of ['a', '7', 'A', ' '])
      if (length >= 0 && length <= MOST_CHARACTERS) texts.push(letter.repeat(length));
  return [...texts, 'text', ...values];
}

function listArrays(node: Json, hints: Hints, depth: number): readonly unknown[] {
  const first = (node['prefixItems'] ?? []) as unknown[];
  const head = first.map((item) => listInstances(item, hints, depth + 1)[0]);
  const items = node['items'] === false ? [] : listInstances(node['items'], hints, depth + 1);
  const [fewest, most] = [Number(node['minItems'] ?? 0), Number(node['maxItems'] ?? head.length + 3)];
  const arrays: unknown[] = [];
  for (const length of [fewest, fewest + 1, most, most - 1])
    if (length >= 0 && length <= MOST_ITEMS) arrays.push(takeMany(head, items, length));
  const padding = takeMany(head, items, Math.max(fewest, head.length + 1)).slice(head.length + 1);
  for (const item of items) arrays.push([...head, item, ...padding]);
  if (items.length > 0) arrays.push([...head, items[0], items[0], ...padding]);
  for (const value of hints.values) arrays.push(Array.from({ length: head.length + 3 }, () => value));
  first.forEach((item, index) => {
    for (const each of listInstances(item, hints, depth + 1)) arrays.push(head.with(index, each));
  });
  return arrays;
}

/** So many items, different ones as long as there are some. */
function takeMany(head: readonly unknown[], items: readonly unknown[], length: number): unknown[] {
  return Array.from({ length }, (_, index) =>
    index < head.length ? head[index] : items[(index - head.length) % Math.max(1, items.length)],
  );
}

function listObjects(node: Json, hints: Hints, depth: number): readonly unknown[] {
  const properties = (node['properties'] ?? {}) as Json;
  const required = (node['required'] ?? []) as string[];
  const values = new Map(
    Object.entries(properties).map(([name, schema]) => [name, listInstances(schema, hints, depth + 1)]),
  );
  const valueOf = (name: string): unknown => values.get(name)?.[0] ?? 'extra';
  const least = Object.fromEntries(required.map((name) => [name, valueOf(name)]));
  const whole = { ...Object.fromEntries([...values.keys()].map((name) => [name, valueOf(name)])), ...least };
  const objects: Json[] = [least, whole];
  for (const [name, list] of values) {
    for (const value of list) objects.push({ ...least, [name]: value });
    objects.push(without(whole, name));
  }
  return [...objects, ...listExtras(node, hints, depth).map((extra) => ({ ...least, ...extra }))];
}

function without(object: Json, name: string): Json {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

/** Members beside those that are declared. */
function listExtras(node: Json, hints: Hints, depth: number): readonly Json[] {
  const others = node['additionalProperties'];
  if (others === false) return [];
  const declared = Object.keys(node['properties'] ?? {});
  const patterns = (node['patternProperties'] ?? {}) as Json;
  const fitting = Object.entries(patterns).flatMap(([pattern, schema]) => {
    const [name = ''] = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), {
      seed: hints.seed,
      numRuns: 1,
    });
    return listInstances(schema, hints, depth + 1).map((value) => ({ [name]: value }));
  });
  const names = ['extra_1', LONG_NAME, ...hints.names.filter((name) => !declared.includes(name))];
  const values = others === undefined ? EXTRAS : listInstances(others, hints, depth + 1);
  const count = Number(node['maxProperties'] ?? 0);
  const many = Object.fromEntries(Array.from({ length: count }, (_, index) => [`extra_${index}`, values[0]]));
  return [many, ...fitting, ...names.flatMap((name) => values.map((value) => ({ [name]: value })))];
}
