import { expect } from 'vitest';
import type { Answer } from '../support/api-client.ts';

interface Problem {
  readonly code: string;
  readonly errors: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly code: string;
  }[];
}

/** Status and code of a refused call, then each fault as "where code", in the order of the answer. */
export function refusal({ status, body }: Answer): (number | string)[] {
  const { code, errors } = body as Problem;
  expect(status).toBeGreaterThanOrEqual(400);
  return [status, code, ...errors.map((fault) => `${fault.pointer ?? fault.parameter ?? ''} ${fault.code}`)];
}

/** The status and a few properties of the body. */
export function parts({ status, body }: Answer, ...names: readonly string[]): unknown[] {
  return [status, ...names.map((name) => (body as Readonly<Record<string, unknown>>)[name])];
}
