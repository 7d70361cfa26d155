import type { Request } from 'express';

/** Of the headers only those of the list, under the names of the list. */
export function readDeclaredHeaders(request: Request, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = request.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The query parameters of an address; one that is repeated is an array, in the order of the address. */
export function readQuery(url: string): Record<string, unknown> {
  const start = url.indexOf('?');
  const values = new Map<string, string | string[]>();
  if (start >= 0) {
    for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
      const before = values.get(name);
      if (before === undefined) values.set(name, value);
      else if (typeof before === 'string') values.set(name, [before, value]);
      else before.push(value);
    }
  }
  return Object.fromEntries(values);
}
