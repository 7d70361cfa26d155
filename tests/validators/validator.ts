import { ROUTES } from '../../generated/routes.ts';
import { validateExchange } from '../support/contract-validator.ts';
import { isRefusedByDocument } from '../support/document-refusals.ts';
import type { RecordedExchange } from '../support/recorded-exchanges.ts';
import type { CanaryKind } from './canaries.ts';

export interface Violations {
  /** What the request breaks of the document. */
  readonly request: readonly string[];
  /** What the answer breaks; undefined where the validator does not look at it. */
  readonly response: readonly string[] | undefined;
}

/** A program of others that holds exchanges against the document. */
export interface Validator {
  readonly name: string;
  /** The kinds of canaries that it does not look at. */
  readonly overlooks: readonly CanaryKind[];
  validate(exchange: RecordedExchange): Promise<Violations>;
}

/**
 * It looks at no answer of 500 and above, none that is not JSON, and none to a request that it refuses; what the media type should be it
 * takes from the request.
 */
export const expressOpenapiValidator: Validator = {
  name: 'express-openapi-validator',
  overlooks: ['unknown media type'],
  async validate({ operationId, method, url, headers, body, answer }) {
    const { path = '' } = ROUTES.find((route) => route.operationId === operationId) ?? {};
    const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    const found = await validateExchange({
      path,
      method,
      url,
      // Its server would refuse an expectation itself.
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'expect')),
      body: body === undefined ? undefined : Buffer.from(body),
      answer: { status: answer.status, type, text: answer.text },
    });
    if (found.request !== undefined) return { request: [found.request], response: undefined };
    const isLookedAt = answer.status < 500 && (answer.text === '' || type.endsWith('json'));
    if (!isLookedAt) return { request: [], response: undefined };
    return { request: [], response: found.response === undefined ? [] : [found.response] };
  },
};

/**
 * What a validator has against an exchange: its answer, or that the service took a request that the validator refuses. The other
 * way round the service may know rules that are written in prose.
 */
export function complaintsAbout(
  { answer: { status } }: RecordedExchange,
  { request, response = [] }: Violations,
): string[] {
  const taken = status < 400 ? request.map((each) => `the request is taken: ${each}`) : [];
  return [...taken, ...response.map((each) => `the answer: ${each}`)];
}

/** Whether the service says that a request breaks the document where the validator sees nothing wrong. */
export function isOverlooked({ answer }: RecordedExchange, { request }: Violations): boolean {
  const isProblem = answer.headers['content-type']?.startsWith('application/problem+json') === true;
  return request.length === 0 && isProblem && isRefusedByDocument(answer.status, JSON.parse(answer.text));
}
