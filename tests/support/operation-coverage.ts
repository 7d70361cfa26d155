import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELD_PROBLEMS, PROBLEMS } from '../../generated/problems.ts';

/** What one run of the whole suite must have seen: every (operation, status) pair and every code of the catalogue. */
export function listUncovered(notes: readonly string[]): string[] {
  const seen = new Set(notes);
  return [...listAnswers(), ...codes()].filter((each) => !seen.has(each));
}

/** Every operation of the document with each of its statuses. */
export function listAnswers(): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8');
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, { operationId?: string; responses?: Record<string, unknown> }>>;
  };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, responses = {} }) =>
      operationId === undefined ? [] : Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
}

function codes(): string[] {
  return [...Object.keys(PROBLEMS), ...Object.keys(FIELD_PROBLEMS)].map((code) => `code ${code}`);
}
