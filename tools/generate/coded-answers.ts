import type { Catalogue, CatalogueEntry } from './catalogue.ts';
import { toOpenVocabulary } from './open-vocabularies.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** An error answer with all codes that it can carry. */
export interface CodedAnswer {
  /** The answer in components that it is made from. */
  readonly base: string;
  readonly codes: readonly string[];
  /** Codes of the entries of its `errors`. */
  readonly fieldCodes: readonly string[];
}

/** @throws Error that names the place, where there is no code, or one that the catalogue lacks or has with another status. */
export function checkCodes(
  catalogue: Catalogue,
  place: string,
  status: string,
  { codes, fieldCodes }: CodedAnswer,
): void {
  const check = (code: string, scope: CatalogueEntry['scope']): void => {
    const entry = catalogue[code];
    if (entry?.scope !== scope || String(entry.status) !== status)
      throw new Error(`${place}: openapi/errors.yaml has no ${scope} code ${code} with this status.`);
  };
  if (codes.length === 0) throw new Error(`${place}: the answer is a problem and has no x-codes.`);
  for (const code of codes) check(code, 'problem');
  for (const code of fieldCodes) check(code, 'field');
}

/** The media type of the answer: a problem of which these codes are known, with an example of each. */
export function toProblemMedia({ codes, fieldCodes }: Omit<CodedAnswer, 'base'>): unknown {
  const examples = [...codes, ...fieldCodes].map((code): [string, unknown] => [
    code,
    { $ref: `#/components/examples/${code}` },
  ]);
  return { schema: toSchema(codes, fieldCodes), examples: Object.fromEntries(examples) };
}

function toErrors(codes: readonly string[]): unknown {
  const code = {
    description: 'What the value violates. New codes may be added.',
    ...toOpenVocabulary(codes),
  };
  return {
    type: 'array',
    description: 'Each violation that was found; empty where none is of a single value.',
    items: { type: 'object', properties: { code } },
  };
}

function toSchema(codes: readonly string[], fieldCodes: readonly string[]): unknown {
  const code = {
    description: 'Why the request is refused. New codes may be added.',
    ...toOpenVocabulary(codes),
  };
  const properties = fieldCodes.length === 0 ? { code } : { code, errors: toErrors(fieldCodes) };
  return { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties }] };
}
