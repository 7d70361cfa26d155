import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRoleAccess, ROLE_TABLE } from '../../src/domain/users/roles.ts';
import type { Access } from '../../src/domain/users/roles.ts';

/** The parts of an OpenAPI 3.1 document that the generators read. */
export interface OpenApiDocument {
  info: { version: string; description?: string };
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, unknown> } & Record<string, Record<string, unknown>>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Record<string, unknown>;
  example?: unknown;
  'x-example-from'?: string;
}

/** A named example of a body. */
export interface ExampleBody {
  value?: unknown;
  'x-example-from'?: Record<string, string>;
}

interface RequestMedia {
  schema: unknown;
  example?: unknown;
  examples?: Record<string, unknown>;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  description?: string;
  security?: unknown[];
  parameters?: unknown[];
  requestBody?: { required?: boolean; content: Record<string, RequestMedia> };
  responses: Record<string, unknown>;
  'x-max-body-bytes'?: number;
  deprecated?: boolean;
  'x-deprecated-at'?: string;
  'x-sunset'?: string;
  'x-example-from'?: Record<string, string>;
  'x-example-until'?: Record<string, unknown>;
}

/** The HTTP methods of operations. */
export const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export interface OperationAt {
  path: string;
  method: Method;
  operation: Operation;
  parameters: Parameter[];
}

/** Bundles openapi/ into one document and writes the role table into every secured operation. */
export function bundleDocument(root: string): OpenApiDocument {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const output = join(folder, 'openapi.json');
    execFileSync(
      process.execPath,
      [
        join(root, 'node_modules/@redocly/cli/bin/cli.js'),
        'bundle',
        join(root, 'openapi/openapi.yaml'),
        '-o',
        output,
      ],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    const document = JSON.parse(readFileSync(output, 'utf8')) as OpenApiDocument;
    writeRoles(document);
    return document;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Every operation with its parameters, those of the path item included and references followed, in the order in which the
 * document has them.
 */
export function listOperations(document: OpenApiDocument): OperationAt[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((key) => {
      const method = METHODS.find((each) => each === key);
      if (method === undefined) return [];
      const operation = item[method] as Operation;
      const shared = (item['parameters'] ?? []) as unknown[];
      const parameters = [...shared, ...(operation.parameters ?? [])].map((each) =>
        resolveReference<Parameter>(document, each),
      );
      return [{ path, method, operation, parameters }];
    }),
  );
}

/** The node that a `$ref` of the document leads to, or the node itself. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller says what the place holds
export function resolveReference<T>(document: OpenApiDocument, node: unknown): T {
  const reference = (node as { $ref?: string }).$ref;
  if (reference === undefined) return node as T;
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, key) => (at as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
  return resolveReference<T>(document, target);
}

/** Whether the operation needs an access token: the default of the document, unless it says otherwise. */
export function isSecured(operation: Operation): boolean {
  return operation.security === undefined || operation.security.some((each) => 'oauth2' in (each as object));
}

function writeRoles(document: OpenApiDocument): void {
  for (const { operation } of listOperations(document)) {
    if (!isSecured(operation)) continue;
    const row = (ROLE_TABLE as Record<string, Readonly<Record<string, Access>> | undefined>)[
      operation.operationId
    ];
    if (row === undefined)
      throw new Error(`${operation.operationId} has no row in src/domain/users/roles.ts.`);
    Object.assign(operation, { 'x-roles': row });
    operation.description = `${(operation.description ?? '').trim()}\n\nWho may call it: ${describeRoleAccess(row)}.`;
  }
}
