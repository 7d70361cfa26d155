import type { FieldError } from '../domain/api/problem.ts';

const DETAIL = 'Must not hold the character U+0000 or half of a surrogate pair.';

/** Faults of the texts in a body that PostgreSQL cannot keep as they were sent, each with its JSON pointer. */
export function findUnstorableTextInBody(body: unknown): FieldError[] {
  const faults: FieldError[] = [];
  // A list instead of calls: a body of a megabyte may be nested half a million deep.
  const left: { readonly value: unknown; readonly pointer: string }[] = [{ value: body, pointer: '' }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, pointer } = next;
    if (typeof value === 'string') {
      if (!isStorable(value)) faults.push({ pointer, code: 'text', detail: DETAIL });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        left.push({ value: child, pointer: `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` });
      }
    }
  }
  return faults.toReversed();
}

/** The same of path or query values. */
export function findUnstorableTextInParameters(
  values: Readonly<Record<string, unknown>>,
  place: 'path' | 'query',
): FieldError[] {
  return Object.entries(values).flatMap(([parameter, value]) =>
    [value].flat().every((each) => typeof each !== 'string' || isStorable(each))
      ? []
      : [{ parameter, in: place, code: 'text' as const, detail: DETAIL }],
  );
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
