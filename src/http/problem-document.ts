import { PROBLEMS } from '../../generated/problems.ts';
import type { ProblemCode } from '../../generated/problems.ts';
import type { FieldError } from '../domain/api/problem.ts';

export interface ProblemFacts {
  /** Where the pages of the problems are. */
  readonly baseUrl: string;
  readonly code: ProblemCode;
  /** The code's own where it is left out. */
  readonly detail?: string | undefined;
  /** The path of the request. */
  readonly instance: string;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
  readonly areErrorsTruncated?: boolean;
}

/** The body of an answer that tells a problem (RFC 9457), as the document's schema `Problem` has it. */
export function toProblemDocument(facts: ProblemFacts) {
  const { baseUrl, code, instance, requestId } = facts;
  const entry = PROBLEMS[code];
  const { status, title, detail } = entry;
  return {
    type: 'type' in entry ? entry.type : `${baseUrl}/docs/errors/${code}`,
    title,
    status,
    detail: facts.detail ?? detail,
    instance,
    code,
    request_id: requestId,
    errors: facts.errors ?? [],
    ...(facts.areErrorsTruncated ? { errors_truncated: true } : {}),
  };
}
