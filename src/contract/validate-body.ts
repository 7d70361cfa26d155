import type { ValidateFunction } from 'ajv';
import * as findErrors from '../../generated/find-body-errors.js';
import type { OpenOperationId, SecuredOperationId } from '../../generated/routes.ts';
import * as validators from '../../generated/validate-bodies.js';
import type { FieldError } from '../domain/api/problem.ts';
import { toBodyErrors } from './field-errors.ts';
import type { Request } from './handlers.ts';
import type { JsonBody } from './json-body.ts';
import { findUnstorableTextInBody } from './unstorable-text.ts';

/** Operations whose requests are validated by the document's schemas: all but those of OAuth. */
export type ValidatedOperationId = SecuredOperationId | OpenOperationId;

type BodyValidators = { readonly [Id in ValidatedOperationId]?: ValidateFunction<Request<Id>['body']> };

// The generated functions are type guards made from the same document as the types: a schema and a type that differ
// do not compile here.
const firstPass: BodyValidators = validators;
const secondPass: BodyValidators = findErrors;

/**
 * The body of an operation as its handler takes it, or its errors: as many as an answer tells, and one more. The first
 * pass stops at the first error; only a body that has one is gone through again, until there are enough errors. What it
 * costs grows with the bytes of the body, however many errors it has.
 */
export function validateBody<Id extends ValidatedOperationId>(
  id: Id,
  body: JsonBody | undefined,
): { readonly body: Request<Id>['body'] } | { readonly errors: readonly FieldError[] } {
  const value = body?.value;
  const errors = body?.mayHoldUnstorableText === true ? findUnstorableTextInBody(value) : [];
  const validate = firstPass[id];
  const isBody = (each: unknown): each is Request<Id>['body'] =>
    each === undefined || validate === undefined || validate(each);
  if (isBody(value)) return errors.length === 0 ? { body: value } : { errors };
  const find = secondPass[id];
  find?.(value);
  return { errors: [...toBodyErrors(find?.errors ?? [], value), ...errors] };
}
