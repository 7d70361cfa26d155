import type { Response } from 'express';

/** Says that the answer depends on a header of the request (RFC 9110, 12.5.5), beside those that were named before. */
export function addVary(response: Response, name: string): void {
  const before = response.getHeader('Vary');
  response.setHeader('Vary', typeof before === 'string' ? `${before}, ${name}` : name);
}
