import { MAX_BODY_BYTES } from '../compat/compare-bodies.ts';
import { readDeprecation } from '../compat/deprecation.ts';
import { isSecured, listOperations, resolveReference } from './document.ts';
import type { Method, OpenApiDocument, Operation } from './document.ts';
import { FORM } from './validators.ts';

/** A body that says nothing: it may be of any type as long as it is empty. */
function isBare(document: OpenApiDocument, body: NonNullable<Operation['requestBody']>): boolean {
  const schema = body.content['application/json']?.schema;
  return (
    schema !== undefined && resolveReference<{ maxProperties?: number }>(document, schema).maxProperties === 0
  );
}

/** The media types of the answers that are no errors. */
function answersOf(document: OpenApiDocument, { responses }: Operation): string[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.flatMap(([, each]) =>
    Object.keys(resolveReference<{ content?: Record<string, unknown> }>(document, each).content ?? {}),
  );
  return types.length === 0 ? ['application/json'] : [...new Set(types)];
}

/** Whether the document gives a header to the answers that are no errors. */
function hasHeader(document: OpenApiDocument, { responses }: Operation, name: string): boolean {
  return Object.entries(responses).some(
    ([status, each]) =>
      status.startsWith('2') &&
      name in (resolveReference<{ headers?: Record<string, unknown> }>(document, each).headers ?? {}),
  );
}

/** What a caller must show: a token, nothing, or the credentials of a client. */
export type RouteAccess = 'token' | 'none' | 'client';

/** Only the operations of OAuth take forms. */
function accessOf(operation: Operation, body: Operation['requestBody']): RouteAccess {
  if (body !== undefined && FORM in body.content) return 'client';
  return isSecured(operation) ? 'token' : 'none';
}

function routeBody(
  document: OpenApiDocument,
  operation: Operation,
  body: NonNullable<Operation['requestBody']>,
): NonNullable<RouteDescription['body']> {
  return {
    required: body.required ?? false,
    isBare: isBare(document, body),
    types: Object.keys(body.content),
    maxBytes: operation['x-max-body-bytes'] ?? MAX_BODY_BYTES,
  };
}

/** @throws Error that names an operation that is deprecated without saying since and until when. */
function describeDeprecation(operation: Operation): RouteDescription['deprecation'] {
  try {
    const deprecation = readDeprecation(operation);
    if (deprecation === undefined) return null;
    const [since, sunset] = [deprecation.deprecatedAt, deprecation.sunsetAt].map((day) =>
      day.toISOString().slice(0, 'yyyy-mm-dd'.length),
    ) as [string, string];
    return { since, sunset };
  } catch (cause) {
    throw new Error(`${operation.operationId}: ${(cause as Error).message}`, { cause });
  }
}

/** What the service has to know of an operation to route its requests, as generated/routes.ts holds it. */
export interface RouteDescription {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  readonly access: RouteAccess;
  readonly headers: readonly string[];
  readonly answers: readonly string[];
  readonly notStored: boolean;
  readonly isTagged: boolean;
  readonly orgScoped: boolean;
  readonly deprecation: { readonly since: string; readonly sunset: string } | null;
  readonly body: {
    readonly required: boolean;
    readonly isBare: boolean;
    readonly types: readonly string[];
    readonly maxBytes: number;
  } | null;
}

/**
 * The routes of a document.
 * @throws Error for an operation that is deprecated without notice.
 */
export function listRoutes(document: OpenApiDocument): readonly RouteDescription[] {
  return listOperations(document).map(({ path, method, operation, parameters }) => {
    const body =
      operation.requestBody === undefined
        ? undefined
        : resolveReference<NonNullable<Operation['requestBody']>>(document, operation.requestBody);
    return {
      operationId: operation.operationId,
      method,
      path,
      access: accessOf(operation, body),
      headers: parameters.filter((each) => each.in === 'header').map((each) => each.name),
      answers: answersOf(document, operation),
      notStored: hasHeader(document, operation, 'Cache-Control'),
      isTagged: hasHeader(document, operation, 'ETag'),
      orgScoped: parameters.some((each) => each.in === 'path' && each.name === 'org_id'),
      deprecation: describeDeprecation(operation),
      body: body === undefined ? null : routeBody(document, operation, body),
    };
  });
}
