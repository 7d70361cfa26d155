import {
  isRecord,
  readKeyword,
  readList,
  readMap,
  resolveNode,
  toPlace,
  toSegment,
} from './schemas/place.ts';
import type { Place } from './schemas/place.ts';

/** A node of a document that is no schema, references followed, with its JSON pointer. */
export interface Located {
  readonly root: object;
  readonly pointer: string;
  readonly node: Readonly<Record<string, unknown>>;
}

/** An OpenAPI 3.1 document, bundled: references stay within it. */
export type Contract = Readonly<Record<string, unknown>>;

export interface OperationPlace extends Located {
  /** `GET /users/{id}`, or `webhook service.test`. */
  readonly title: string;
  /** The title with all path parameters named alike, by which operations of two documents belong together. */
  readonly key: string;
  readonly parameters: ReadonlyMap<string, Located>;
  /** The path, or the webhook, that it belongs to. */
  readonly item: Located;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** The operations of `paths`. */
export function listOperations(contract: Contract): readonly OperationPlace[] {
  return listItems(contract, 'paths', (name, method) => `${method.toUpperCase()} ${name}`);
}

/** The messages of `webhooks`. */
export function listMessages(contract: Contract): readonly OperationPlace[] {
  return listItems(contract, 'webhooks', (name, method) =>
    method === 'post' ? `webhook ${name}` : `webhook ${method.toUpperCase()} ${name}`,
  );
}

function listItems(
  contract: Contract,
  keyword: 'paths' | 'webhooks',
  toTitle: (name: string, method: string) => string,
): readonly OperationPlace[] {
  return Object.entries(readMap(contract, keyword)).flatMap(([name, value]) => {
    const item = locate(contract, value, `/${keyword}/${toSegment(name)}`);
    return METHODS.flatMap((method) => {
      if (item.node[method] === undefined) return [];
      const operation = below(item, method);
      const title = toTitle(name, method);
      const parameters = new Map(
        [...listParameters(item), ...listParameters(operation)].map((each) => [parameterKey(each), each]),
      );
      return [{ ...operation, title, key: title.replaceAll(/\{[^}]*\}/g, '{}'), parameters, item }];
    });
  });
}

function listParameters(place: Located): readonly Located[] {
  return readList(place.node, 'parameters').map((value, index) =>
    locate(place.root, value, `${place.pointer}/parameters/${index}`),
  );
}

/** Names of headers are the same in either case. */
function parameterKey({ node }: Located): string {
  const [place, name] = [String(node['in']), String(node['name'])];
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

/** @throws Error when there is no object. */
export function locate(root: object, value: unknown, pointer: string): Located {
  return { root, ...resolveNode(root, value, pointer) };
}

/** The object under a name, references followed. */
export function below(place: Located, name: string): Located {
  return locate(place.root, place.node[name], `${place.pointer}/${toSegment(name)}`);
}

/** The same; undefined where there is none. */
export function findBelow(place: Located, name: string): Located | undefined {
  return place.node[name] === undefined ? undefined : below(place, name);
}

/** The objects under a name by their own names, as in `content` or `responses`. */
export function mapBelow(
  place: Located,
  name: string,
  toKey: (key: string) => string = (key) => key,
): ReadonlyMap<string, Located> {
  const values = readMap(place.node, name);
  return new Map(
    Object.entries(values).map(([key, value]) => [
      toKey(key),
      locate(place.root, value, `${place.pointer}/${toSegment(name)}/${toSegment(key)}`),
    ]),
  );
}

/** The schema of a parameter, header or media type; one that says nothing takes everything. */
export function schemaOf(place: Located): Place {
  return toPlace(place.root, `${place.pointer}/schema`, readKeyword(place.node, 'schema') ?? true);
}

/** Keys that are on both sides, on the old one alone and on the new one alone. */
export function pairUp<Value>(
  old: ReadonlyMap<string, Value>,
  next: ReadonlyMap<string, Value>,
): {
  readonly kept: readonly (readonly [key: string, old: Value, next: Value])[];
  readonly removed: readonly (readonly [key: string, old: Value])[];
  readonly added: readonly (readonly [key: string, next: Value])[];
} {
  return {
    kept: [...old].flatMap(([key, value]) => {
      const other = next.get(key);
      return other === undefined ? [] : [[key, value, other] as const];
    }),
    removed: [...old].filter(([key]) => !next.has(key)),
    added: [...next].filter(([key]) => !old.has(key)),
  };
}

/** `info.version`, or what else stands in `info`. */
export function readInfo(contract: Contract, name: string): unknown {
  const info = contract['info'];
  return isRecord(info) ? info[name] : undefined;
}
