import { METHODS, resolveReference } from './document.ts';
import type { OpenApiDocument } from './document.ts';

type Node = Readonly<Record<string, unknown>>;

/** A property, parameter or header whose description does not help. */
export interface PoorDescription {
  /** `User.latitude`, `createFleet query page`, `header RetryAfter` */
  readonly place: string;
  readonly fault: 'missing' | 'restates the name' | 'no unit';
}

/** Words by which a description tells what a number counts or in which unit it is. */
const UNIT_PATTERN =
  /\b(?:watts?|kilowatts?|kilowatt[- ]hours?|percent|percentage|degrees?|kelvins?|milliseconds?|seconds?|minutes?|hours?|days?|kilomet(?:re|er)s?|EUR\/MWh|bytes?|characters?|how many|number of|counts|fraction|ratio|from 0\b|per year|a year|version|HTTP status|relative)\b/i;
/** What a name ends in that tells a unit, before a possible `_min`, `_max` or `_range`, and the words that its description needs. */
const NAMED_UNITS: Readonly<Record<string, RegExp>> = {
  w: /\bwatts?\b/i,
  kw: /\bkilowatts?\b(?![- ]hour)/i,
  kwh: /\bkilowatt[- ]hours?\b/i,
  percent: /\bpercent\b/i,
  fraction: /\bfraction\b/i,
  minutes: /\bminutes?\b/i,
  days: /\bdays?\b/i,
  ms: /\bmilliseconds?\b/i,
  km: /\bkilomet(?:re|er)s?\b/i,
  deg: /\bdegrees?\b/i,
  c: /\bdegrees? Celsius\b/i,
  k: /\bkelvins?\b/i,
};
const UNIT_OF_NAME = new RegExp(`_(${Object.keys(NAMED_UNITS).join('|')})(?:_min|_max|_range)?$`);
/** Words that tell nothing beside a name. */
const FILLERS = new Set(['a', 'an', 'the', 'of', 'its', 'is', 'in', 'this', 'to', 'and', 'for', 'it', 'at']);

/** Every property of the schemas, every parameter and header that is not described, or not so that it helps. */
export function listPoorDescriptions(
  document: OpenApiDocument & { readonly webhooks?: Readonly<Record<string, Node>> },
): PoorDescription[] {
  const poor: PoorDescription[] = [];
  const examine = (place: string, name: string, node: Node): void => {
    const fault = faultOf(document, name, node);
    if (fault !== undefined) poor.push({ place, fault });
  };
  const { schemas, ...otherComponents } = document.components;
  for (const [name, schema] of Object.entries(schemas)) visitProperties(schema as Node, name, examine);
  visitInline({ ...document, components: otherComponents }, '', (schema, place) =>
    visitProperties(schema, place, examine),
  );
  for (const kind of ['parameters', 'headers'])
    for (const [key, node] of Object.entries(document.components[kind] ?? {})) {
      const name = (node as { name?: string }).name ?? key;
      examine(`${kind.slice(0, -1)} ${name}`, name, node as Node);
    }
  for (const item of [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})])
    for (const method of METHODS) {
      const operation = item[method] as { operationId: string; parameters?: Node[] } | undefined;
      for (const parameter of operation?.parameters ?? [])
        if (!('$ref' in parameter)) {
          const name = String(parameter['name']);
          examine(`${operation?.operationId ?? ''} ${String(parameter['in'])} ${name}`, name, parameter);
        }
    }
  return poor;
}

type Visit = (place: string, name: string, node: Node) => void;

/** The schemas of parameters, headers and media types, wherever they are written. */
function visitInline(node: unknown, place: string, visit: (schema: Node, place: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, part] of Object.entries(node)) {
    if (NO_SCHEMAS.has(key)) continue;
    if (key === 'schema') visit(part as Node, place);
    else visitInline(part, `${place}/${key}`, visit);
  }
}

/** Names of what holds values. */
const NO_SCHEMAS = new Set(['example', 'examples']);
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const PARTS = ['not', 'if', 'then', 'else', 'contains', 'additionalProperties', 'unevaluatedProperties'];

/** Properties of a schema at any depth, up to the schemas that it refers to. */
function visitProperties(schema: Node, place: string, visit: Visit): void {
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Node>)) {
    visit(`${place}.${name}`, name, property);
    visitProperties(property, `${place}.${name}`, visit);
  }
  const maps = ['patternProperties', 'dependentSchemas'].flatMap((key) =>
    Object.values((schema[key] ?? {}) as Node),
  );
  const lists = LISTS.flatMap((key) => (schema[key] ?? []) as unknown[]);
  for (const part of [...PARTS.map((key) => schema[key]), ...maps, ...lists])
    if (typeof part === 'object' && part !== null) visitProperties(part as Node, place, visit);
  if (schema['items'] !== undefined) visitProperties(schema['items'] as Node, `${place}[]`, visit);
}

function faultOf(document: OpenApiDocument, name: string, node: Node): PoorDescription['fault'] | undefined {
  const target = resolveReference<Node>(document, node);
  const written = node['description'] ?? target['description'];
  const text = typeof written === 'string' ? written.trim() : '';
  if (text === '') return 'missing';
  const named = new Set(wordsOf(name));
  if (wordsOf(text).every((word) => named.has(word) || FILLERS.has(word))) return 'restates the name';
  const schema = resolveReference<Node>(document, target['schema'] ?? target);
  const isRange = name.endsWith('_range');
  return (isNumber(schema) || isRange) && !tellsUnit(name, text) ? 'no unit' : undefined;
}

/** Whether a description tells the unit that the name says, or any where it says none. */
function tellsUnit(name: string, text: string): boolean {
  const unit = UNIT_OF_NAME.exec(name)?.[1];
  // What is quoted are names, in which a unit is not said but abbreviated.
  return (NAMED_UNITS[unit ?? ''] ?? UNIT_PATTERN).test(text.replaceAll(/`[^`]*`/g, ''));
}

function isNumber(schema: Node): boolean {
  return [schema['type']].flat().some((type) => type === 'number' || type === 'integer');
}

/** Letter case and a plural "s" do not make another word. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.replace(/s$/, ''));
}
