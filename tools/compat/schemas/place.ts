/** A JSON Schema of an OpenAPI 3.1 document (draft 2020-12). */
export type Schema = boolean | Readonly<Record<string, unknown>>;

/** A schema together with the document that its references are resolved in and the JSON pointer where it stands. */
export interface Place {
  readonly root: object;
  readonly pointer: string;
  readonly schema: Schema;
}

/** Longer chains of references than this lead in a circle. */
const LONGEST_CHAIN = 64;

/** A segment of a JSON pointer (RFC 6901), escaped. */
export function toSegment(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The node at a pointer (`#/…` or `/…`) of a document; undefined when there is none. */
export function findNode(root: object, pointer: string): unknown {
  let node: unknown = root;
  for (const segment of pointer.replace(/^#/, '').split('/').slice(1)) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Record<string, unknown>)[
      decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
    ];
  }
  return node;
}

/**
 * A place below another one: `child(place, 'properties', 'email')`.
 * @throws Error when what stands there is no schema.
 */
export function childPlace(place: Place, ...names: readonly (string | number)[]): Place {
  let node: unknown = place.schema;
  for (const name of names) node = (node as Record<string, unknown>)[name];
  return toPlace(place.root, place.pointer + names.map((name) => `/${toSegment(name)}`).join(''), node);
}

/** @throws Error when the node is no schema. */
export function toPlace(root: object, pointer: string, node: unknown): Place {
  if (typeof node !== 'boolean' && !isRecord(node)) throw new Error(`There is no schema at ${pointer}.`);
  return { root, pointer, schema: node };
}

/** References are followed again and again: what each leads to, by document. */
const followed = new WeakMap<object, Map<string, Place>>();

/**
 * The place that a `$ref` leads to, without what stands beside it.
 * @throws Error for a reference to nowhere or into another document.
 */
export function followReference(root: object, reference: string): Place {
  let known = followed.get(root);
  if (known === undefined) followed.set(root, (known = new Map<string, Place>()));
  let place = known.get(reference);
  if (place === undefined) {
    if (!reference.startsWith('#')) throw new Error(`The reference ${reference} leaves the document.`);
    place = toPlace(root, reference.slice(1), findNode(root, reference));
    known.set(reference, place);
  }
  return place;
}

/** The node that references of a document (not those between schemas) lead to, with its pointer. */
export function resolveNode(
  root: object,
  node: unknown,
  pointer: string,
): { readonly node: Readonly<Record<string, unknown>>; readonly pointer: string } {
  let [at, here]: [unknown, string] = [node, pointer];
  for (let hops = 0; isRecord(at) && typeof at['$ref'] === 'string'; hops += 1) {
    if (hops > LONGEST_CHAIN) throw new Error(`The reference at ${pointer} leads in a circle.`);
    here = at['$ref'].slice(1);
    at = findNode(root, here);
  }
  if (!isRecord(at)) throw new Error(`There is no object at ${here}.`);
  return { node: at, pointer: here };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A keyword whose value is an object by names, such as `properties`; empty when it is missing. */
export function readMap(schema: Schema, keyword: string): Readonly<Record<string, unknown>> {
  const value = typeof schema === 'boolean' ? undefined : schema[keyword];
  return isRecord(value) ? value : {};
}

/** A keyword whose value is a list, such as `required`; empty when it is missing. */
export function readList(schema: Schema, keyword: string): readonly unknown[] {
  const value = typeof schema === 'boolean' ? undefined : schema[keyword];
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** A keyword whose value is a number; undefined when it is missing. */
export function readNumber(schema: Schema, keyword: string): number | undefined {
  const value = typeof schema === 'boolean' ? undefined : schema[keyword];
  return typeof value === 'number' ? value : undefined;
}

/** A keyword whatever its value. */
export function readKeyword(schema: Schema, keyword: string): unknown {
  return typeof schema === 'boolean' ? undefined : schema[keyword];
}
