import type { FieldError } from '../domain/api/problem.ts';
import type { FieldMessages } from './forms.ts';

/**
 * What is wrong, by the paths of a form's fields: an error of a part of a value, or of a whole object, stands at the nearest field,
 * and what has none at `form`.
 */
export function placeErrors(errors: readonly FieldError[], paths: readonly string[]): FieldMessages {
  const messages: Record<string, string> = {};
  for (const { pointer = '', detail } of errors) {
    const sought = pointer.slice(1);
    const place =
      paths.find((path) => sought === path || sought.startsWith(`${path}/`)) ??
      paths.find((path) => path.startsWith(`${sought}/`)) ??
      'form';
    messages[place] = messages[place] === undefined ? detail : `${messages[place]} ${detail}`;
  }
  return messages;
}
