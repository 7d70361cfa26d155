// The operations of the document, as requests are made from them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES } from '../../generated/routes.ts';
import type { OperationId, Route } from '../../generated/routes.ts';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface AskedOperation {
  readonly id: OperationId;
  readonly route: Route;
  readonly parameters: readonly Parameter[];
  /** Names of the parameters of its path, in their order. */
  readonly places: readonly string[];
  readonly body: { readonly schema: Schema; readonly examples: readonly unknown[] } | undefined;
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
) as { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

/** What a node refers to, or the node itself. */
export function resolve(node: unknown): Readonly<Record<string, unknown>> {
  const { $ref: reference } = (node ?? {}) as { readonly $ref?: string };
  if (reference === undefined) return (node ?? {}) as Readonly<Record<string, unknown>>;
  const steps = reference.replace(/^#\//, '').split('/');
  let at: unknown = document;
  for (const step of steps) at = (at as Readonly<Record<string, unknown>>)[step];
  return resolve(at);
}

interface OperationNode {
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
}

interface MediaType {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export const OPERATIONS: readonly AskedOperation[] = ROUTES.map((route) => {
  const item = document.paths[route.path] ?? {};
  const operation = item[route.method] as OperationNode;
  const shared = (item['parameters'] ?? []) as readonly unknown[];
  const parameters = [...shared, ...(operation.parameters ?? [])].map(
    (each) => resolve(each) as unknown as Parameter,
  );
  const { content = {} } = resolve(operation.requestBody) as {
    content?: Readonly<Record<string, MediaType>>;
  };
  const media = content['application/json'];
  const examples = media && [
    ...(media.example === undefined ? [] : [media.example]),
    ...Object.values(media.examples ?? {}).map(({ value }) => value),
  ];
  const schema = resolve(media?.schema);
  const ownExample = schema['example'] === undefined ? [] : [schema['example']];
  return {
    id: route.operationId,
    route,
    parameters,
    places: [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
    body: examples && { schema, examples: examples.length > 0 ? examples : [...ownExample, {}] },
  };
});

/** Throws for an operation that the document does not have. */
export function findOperation(id: OperationId): AskedOperation {
  const found = OPERATIONS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`The document has no operation ${id}.`);
  return found;
}
