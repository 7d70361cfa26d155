import type { Response } from 'express';

/** Says that the answer depends on a header of the request (RFC 9110, 12.5.5), beside those that were named before. */
export function addVary(response: Response, name: string): void {
  const before = response.getHeader('Vary');
  const names = typeof before === 'string' ? before.split(', ') : [];
  if (!names.includes(name)) response.setHeader('Vary', [...names, name].join(', '));
}
