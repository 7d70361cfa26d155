// What the document says of a request and of its answer.
import type { AskedOperation } from '../../bench/equivalence/document.ts';
import type { Answer } from '../../bench/equivalence/exchange.ts';
import type { RandomRequest } from '../../bench/equivalence/requests.ts';
import { validateExchange } from '../support/contract-validator.ts';
import { findAnswerFault } from '../support/documented-answers.ts';

const TAKEN = { status: 204, type: '', text: '' };

/** Whether the document allows the request, by a second validator; undefined where it is none of the operation's. */
export async function isAllowed(
  { route }: AskedOperation,
  { method, target, headers, body }: RandomRequest,
): Promise<boolean | undefined> {
  if (method.toLowerCase() !== route.method || !isPathOf(target, route.path)) return undefined;
  const asked = { path: route.path, method, url: target, headers, body, answer: TAKEN };
  return (await validateExchange(asked)).request === undefined;
}

/** Whether a target is one of a path of the document; a segment of dots is resolved by every client. */
function isPathOf(target: string, path: string): boolean {
  const [own = ''] = target.split('?');
  const wanted = path.split('/');
  const segments = own.split('/');
  return (
    segments.length === wanted.length &&
    segments.every((segment, i) =>
      wanted[i]?.startsWith('{') ? !['', '.', '..'].includes(segment) : segment === wanted[i],
    )
  );
}

/** Whether the service itself has failed, whatever it was asked: how; undefined where it has not. */
export function failureOf({ status, body }: Answer): string | undefined {
  if (status === 0) return `no answer: ${body}`;
  return status >= 500 ? `status ${status}` : undefined;
}

/** What is wrong with the answer to a request of the operation; undefined where nothing is. */
export function faultOf({ route }: AskedOperation, answered: Answer): string | undefined {
  const { status, headers, body: text } = answered;
  return failureOf(answered) ?? findAnswerFault(route, { status, headers, text });
}
