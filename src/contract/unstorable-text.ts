import { FIELD_ERRORS_SOUGHT } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';

const DETAIL = 'Must not hold the character U+0000 or half of a surrogate pair.';

/**
 * An error `text`, with its JSON pointer, for each text of a body that PostgreSQL cannot store as it was sent: it contains
 * U+0000 or half of a surrogate pair. Of many only as many as an answer tells, and one more.
 */
export function findUnstorableTextInBody(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const path: string[] = [];
  // The depth of a body is limited where it is parsed.
  const visit = (value: unknown): void => {
    if (errors.length === FIELD_ERRORS_SOUGHT) return;
    if (typeof value === 'string') {
      if (!isStorable(value)) errors.push({ pointer: toPointer(path), code: 'text', detail: DETAIL });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        path.push(key);
        visit(child);
        path.pop();
      }
    }
  };
  visit(body);
  return errors;
}

function toPointer(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The same for path or query values, each with the parameter's name. */
export function findUnstorableTextInParameters(
  values: Readonly<Record<string, unknown>>,
  location: 'path' | 'query',
): FieldError[] {
  return Object.entries(values).flatMap(([parameter, value]) =>
    [value].flat().every((each) => typeof each !== 'string' || isStorable(each))
      ? []
      : [{ parameter, in: location, code: 'text' as const, detail: DETAIL }],
  );
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
