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
  /** Whether there are more errors than `errors` has. */
  readonly areErrorsTruncated?: boolean;
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
  readonly areErrorsTruncated: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.areErrorsTruncated = options.areErrorsTruncated ?? false;
    this.headers = options.headers ?? {};
  }
}

/** How many errors of a request are looked for: those that are told, and one that shows that there are more. */
export const FIELD_ERRORS_SOUGHT = MAX_FIELD_ERRORS + 1;

/** 422 with every error at once; of more than `MAX_FIELD_ERRORS` the first ones, and that there are more. */
export function validationProblem(errors: readonly FieldError[]): Problem {
  const areErrorsTruncated = errors.length > MAX_FIELD_ERRORS;
  const count = errors.length === 1 ? '1 rule' : `${errors.length} rules`;
  const detail = areErrorsTruncated
    ? `The request breaks more than ${MAX_FIELD_ERRORS} rules; see the first ${MAX_FIELD_ERRORS} in errors.`
    : `The request breaks ${count}; see errors.`;
  return new Problem('validation_failed', detail, {
    errors: errors.slice(0, MAX_FIELD_ERRORS),
    areErrorsTruncated,
  });
}

/** 404 for an object that does not exist or is not the caller's to see. */
export function notFoundProblem(what: string): Problem {
  return new Problem('not_found', `No such ${what} in this organization.`);
}
