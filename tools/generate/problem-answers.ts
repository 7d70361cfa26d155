import type { Catalogue } from './catalogue.ts';
import { PROBLEM_TYPE, checkCodes, toProblemMedia } from './coded-answers.ts';
import type { CodedAnswer } from './coded-answers.ts';
import { listOperations } from './document.ts';
import type { OpenApiDocument, OperationAt } from './document.ts';
import { toProblemExample } from './problem-examples.ts';
import { listSchemaCodes } from './schema-codes.ts';

const FOLDER = '#/components/responses/';

/** An answer in components, as it is written by hand. */
interface SharedAnswer {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly 'x-codes'?: readonly string[];
  /** Whether it is an answer of every operation, or of every one with a body. */
  readonly 'x-answers'?: 'any-request' | 'any-body';
  readonly 'x-status'?: string;
}

type SharedAnswers = Readonly<Record<string, SharedAnswer>>;

/** What an operation says of an answer: which one it is, and the codes that only this operation has. */
interface AnswerReference {
  /** None where the answer is written at the operation, as those without an error are. */
  readonly $ref?: string;
  readonly 'x-codes'?: readonly string[];
  readonly 'x-field-codes'?: readonly string[];
}

/** Keywords for the generator alone. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set(['x-codes', 'x-answers', 'x-status']);

/**
 * Writes into the document which codes each error answer of each operation can carry, with an example of every code: answers
 * with the same codes become one component, named after the first operation that has it.
 * @throws Error that names an answer without codes, or a code that the catalogue lacks or has with another status.
 */
export function writeProblemAnswers(document: OpenApiDocument, catalogue: Catalogue): void {
  const shared = document.components['responses'] as SharedAnswers;
  addAnswersOfEveryOperation(document, shared);
  const referred = new Set<string>();
  const answers = new Map<string, CodedAnswer>();
  for (const at of listOperations(document)) {
    const { operationId, responses } = at.operation;
    for (const [status, reference] of Object.entries(responses) as [string, AnswerReference][]) {
      const base = baseOf(reference);
      if (!isProblem(shared[base])) continue;
      const answer = describeAnswer(document, shared, at, status, reference);
      checkCodes(catalogue, `${operationId} ${status}`, status, answer);
      const name = nameAnswer(answers, answer, shared, operationId);
      referred.add(base);
      answers.set(name, answer);
      responses[status] = { $ref: FOLDER + name };
    }
  }
  for (const [name, answer] of Object.entries(shared))
    if (isProblem(answer) && !referred.has(name))
      answers.set(name, { base: name, codes: codesOf(answer), fieldCodes: [] });
  document.components['responses'] = Object.fromEntries([
    ...Object.entries(shared).filter(([, answer]) => !isProblem(answer)),
    ...[...answers].map(([name, answer]): [string, unknown] => [name, toResponse(shared, answer)]),
  ]);
  document.components['examples'] = listExamples([...answers.values()], catalogue);
}

function addAnswersOfEveryOperation(document: OpenApiDocument, shared: SharedAnswers): void {
  for (const [name, { 'x-answers': kind, 'x-status': status }] of Object.entries(shared)) {
    if (kind === undefined || status === undefined) continue;
    for (const { operation } of listOperations(document))
      if (kind === 'any-request' || operation.requestBody !== undefined)
        operation.responses[status] ??= { $ref: FOLDER + name };
  }
}

function describeAnswer(
  document: OpenApiDocument,
  shared: SharedAnswers,
  at: OperationAt,
  status: string,
  reference: AnswerReference,
): CodedAnswer {
  const { 'x-codes': codes = [], 'x-field-codes': fieldCodes = [] } = reference;
  const base = baseOf(reference);
  const ofSchemas = status === '422' ? listSchemaCodes(document, at) : [];
  return {
    base,
    codes: [...new Set([...codesOf(shared[base]), ...codes])].toSorted(),
    fieldCodes: [...new Set([...ofSchemas, ...fieldCodes])].toSorted(),
  };
}

function baseOf({ $ref = '' }: AnswerReference): string {
  return $ref.replace(FOLDER, '');
}

/** The name of the answer with just these codes; that of its base where the operation adds none. */
function nameAnswer(
  answers: ReadonlyMap<string, CodedAnswer>,
  answer: CodedAnswer,
  shared: SharedAnswers,
  operationId: string,
): string {
  const { base, codes, fieldCodes } = answer;
  if (fieldCodes.length === 0 && codes.length === codesOf(shared[base]).length) return base;
  const text = JSON.stringify(answer);
  const same = [...answers].find(([, other]) => JSON.stringify(other) === text);
  return same?.[0] ?? `${base}Of${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}`;
}

function isProblem(answer: SharedAnswer | undefined): boolean {
  return answer?.content !== undefined && PROBLEM_TYPE in answer.content;
}

function codesOf(answer: SharedAnswer | undefined): readonly string[] {
  return answer?.['x-codes'] ?? [];
}

function toResponse(shared: SharedAnswers, answer: CodedAnswer): unknown {
  const base = shared[answer.base] ?? {};
  const kept = Object.entries(base).filter(([keyword]) => !OWN_KEYWORDS.has(keyword));
  const content = { ...base.content, [PROBLEM_TYPE]: toProblemMedia(answer) };
  return { ...Object.fromEntries(kept), content };
}

/** An example of each code that an answer has, in the order of the catalogue. */
function listExamples(answers: readonly CodedAnswer[], catalogue: Catalogue): Record<string, unknown> {
  const used = new Set(answers.flatMap(({ codes, fieldCodes }) => [...codes, ...fieldCodes]));
  const codes = Object.keys(catalogue).filter((code) => used.has(code));
  return Object.fromEntries(codes.map((code) => [code, toProblemExample(catalogue, code)]));
}
