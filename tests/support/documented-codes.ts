import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId, Route } from '../../generated/routes.ts';
import { ROUTES } from '../../generated/routes.ts';
import { listCodes } from '../../tools/generate/reference/codes.ts';
import type { Codes } from '../../tools/generate/reference/codes.ts';
import { resolveReference } from '../../tools/generate/reference/schema-fields.ts';
import type { Node } from '../../tools/generate/reference/schema-fields.ts';
import type { Answer } from './api-client.ts';

/** The published document. */
export const DOCUMENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
) as Node & { readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>> };

/** The answers of an operation by status, references followed. */
export function answersOf({ path, method }: Route): [status: string, answer: Node][] {
  const { responses } = DOCUMENT.paths[path]?.[method] as { responses: Readonly<Record<string, unknown>> };
  return Object.entries(responses).map(([status, each]) => [status, resolveReference(DOCUMENT, each)]);
}

/** Whether the answer may be a problem (RFC 9457). */
export function isProblem(answer: Node): boolean {
  const { content = {} } = answer as { readonly content?: Node };
  return 'application/problem+json' in content;
}

const codes = new Map(
  ROUTES.flatMap((route) =>
    answersOf(route)
      .filter(([, answer]) => isProblem(answer))
      .map(([status, answer]): [string, Codes] => [
        `${route.operationId} ${status}`,
        listCodes(DOCUMENT, answer),
      ]),
  ),
);

/** Throws when an answer of the operation carries a code that the document does not give to it with this status. */
export function requireDocumentedCodes(id: OperationId, answer: Answer): void {
  if (answer.headers['content-type']?.startsWith('application/problem+json') !== true) return;
  const { code, errors } = answer.body as { code: string; errors: readonly { code: string }[] };
  const known = codes.get(`${id} ${answer.status}`);
  if (known === undefined)
    throw new Error(`${id}: the document has no problem with the status ${answer.status} (${code}).`);
  if (!known.problems.includes(code))
    throw new Error(`${id}: the document does not give the code ${code} to the status ${answer.status}.`);
  // A conflict about one field repeats its own code there.
  const ofFields = errors.map((error) => error.code).filter((each) => each !== code);
  const unknown = ofFields.filter((each) => !known.fields.includes(each));
  if (unknown.length > 0)
    throw new Error(
      `${id}: the document does not give the field codes ${unknown.join(', ')} to the status ${answer.status}.`,
    );
}
