import { MAX_FIELD_ERRORS } from '../../../generated/problems.ts';
import type { FieldCode, ProblemCode } from '../../../generated/problems.ts';

/** One error of a request, as in `errors[]` of a problem (RFC 9457, 3.2). */
export interface FieldError {
  /** JSON pointer (RFC 6901) into the body, e.g. `/groups/0/weights`. */
  readonly pointer?: string;
  /** Name of the parameter, with its location in `in`. */
  readonly parameter?: string;
  readonly in?: 'path' | 'query' | 'header';
  /** A field-level code of openapi/errors.yaml; a 409 about one field repeats the problem's own. */
  readonly code: FieldCode | ProblemCode;
  /** Names the rule that was broken and how to keep it. */
  readonly detail: string;
}

export interface ProblemOptions {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * The one error that operations throw for a caller's mistake. Its code is one of openapi/errors.yaml,
 * which also gives the HTTP status; anything else that is thrown is answered as 500 without detail.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }
}

/** 422 with every error at once, up to `MAX_FIELD_ERRORS`. */
export function validationProblem(errors: readonly FieldError[]): Problem {
  const count = errors.length === 1 ? '1 rule' : `${Math.min(errors.length, MAX_FIELD_ERRORS)} rules`;
  const orMore = errors.length < MAX_FIELD_ERRORS ? '' : ' or more';
  return new Problem('validation_failed', `The request breaks ${count}${orMore}; see errors.`, {
    errors: errors.slice(0, MAX_FIELD_ERRORS),
  });
}

/** 404 for an object that does not exist or is not the caller's to see. */
export function notFoundProblem(what: string): Problem {
  return new Problem('not_found', `No such ${what} in this organization.`);
}
