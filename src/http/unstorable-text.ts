import type { FieldError } from '../domain/api/problem.ts';

const DETAIL = 'Must not hold the character U+0000 or half of a surrogate pair.';

/**
 * An error `text`, with its JSON pointer, for each text of a body that PostgreSQL cannot store as it was sent: it contains
 * U+0000 or half of a surrogate pair.
 */
export function findUnstorableTextInBody(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  // A list instead of calls: a body of a megabyte may be nested half a million deep.
  const pending: { readonly value: unknown; readonly pointer: string }[] = [{ value: body, pointer: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, pointer } = next;
    if (typeof value === 'string') {
      if (!isStorable(value)) errors.push({ pointer, code: 'text', detail: DETAIL });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        pending.push({
          value: child,
          pointer: `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        });
      }
    }
  }
  return errors.toReversed();
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
