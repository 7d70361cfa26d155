import type { ValidateFunction } from 'ajv';
import type { Request as HttpRequest } from 'express';
import * as headers from '../../generated/validate-headers.js';
import * as paths from '../../generated/validate-paths.js';
import * as queries from '../../generated/validate-queries.js';
import { findNonDecimalNumbers, toParameterErrors } from '../contract/field-errors.ts';
import type { Request } from '../contract/handlers.ts';
import type { JsonBody } from '../contract/json-body.ts';
import { findUnstorableTextInParameters } from '../contract/unstorable-text.ts';
import { validateBody } from '../contract/validate-body.ts';
import type { ValidatedOperationId } from '../contract/validate-body.ts';
import { validationProblem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';

type Values = Record<string, unknown>;

// The generated functions are type guards made from the same document as the types: a schema and a type that differ
// do not compile here.
const pathValidators: {
  readonly [Id in ValidatedOperationId]: ValidateFunction<Request<Id>['path']>;
} = paths;
const queryValidators: {
  readonly [Id in ValidatedOperationId]: ValidateFunction<Request<Id>['query']>;
} = queries;
const headerValidators: {
  readonly [Id in ValidatedOperationId]?: ValidateFunction<Request<Id>['headers']>;
} = headers;

/** The names of path parameters whose letter case makes a difference; all others are UUIDs. */
const CASE_SENSITIVE = new Set(['external_user_id']);

/**
 * The path parameters of a request, UUIDs in lower case: they are compared as text in some places.
 * @throws Problem validation_failed with every error of the path.
 */
export function validatePath<Id extends ValidatedOperationId>(
  id: Id,
  params: HttpRequest['params'],
): Request<Id>['path'] {
  const validate = pathValidators[id];
  const path: unknown = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' && !CASE_SENSITIVE.has(name) ? value.toLowerCase() : value,
    ]),
  );
  const isValid = validate(path);
  const errors = [
    ...(isValid ? [] : toParameterErrors(validate.errors ?? [], 'path')),
    ...findUnstorableTextInParameters(params, 'path'),
  ];
  if (!isValid || errors.length > 0) throw validationProblem(errors);
  return path;
}

/** What is validated after the path, as it was sent. */
export interface SentValues {
  readonly query: Readonly<Values>;
  /** Only the headers that the document declares, under its spelling. */
  readonly headers: Readonly<Values>;
  /** Undefined where none was sent, which readJsonBody has allowed. */
  readonly body: JsonBody | undefined;
}

/** Query, headers and body of an operation as its handler takes them, or every error that they have. */
export function validateQueryHeadersBody<Id extends ValidatedOperationId>(
  id: Id,
  sent: SentValues,
): { readonly values: Omit<Request<Id>, 'path'> } | { readonly errors: readonly FieldError[] } {
  const validateQuery = queryValidators[id];
  const validateHeaders = headerValidators[id];
  // The validators write coerced values and defaults into query and headers.
  const query: Values = { ...sent.query };
  const checkedQuery: unknown = query;
  const checkedHeaders: unknown = { ...sent.headers };
  const isHeaders = (value: unknown): value is Request<Id>['headers'] =>
    validateHeaders === undefined || validateHeaders(value);
  const hasQuery = validateQuery(checkedQuery);
  const hasHeaders = isHeaders(checkedHeaders);
  const body = validateBody(id, sent.body);
  const errors = [
    ...(hasQuery
      ? findNonDecimalNumbers(sent.query, query)
      : toParameterErrors(validateQuery.errors ?? [], 'query')),
    ...(hasHeaders ? [] : toParameterErrors(validateHeaders?.errors ?? [], 'header')),
    ...findUnstorableTextInParameters(query, 'query'),
    ...('errors' in body ? body.errors : []),
  ];
  if (errors.length === 0 && hasQuery && hasHeaders && 'body' in body) {
    return { values: { query: checkedQuery, headers: checkedHeaders, body: body.body } };
  }
  return { errors };
}
