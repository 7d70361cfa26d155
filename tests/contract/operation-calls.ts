import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { OperationId, Route } from '../../generated/routes.ts';
import type { Api } from '../support/api.ts';
import type { Call } from '../support/api-client.ts';

/** What every operation that it applies to answers alike. */
export interface Check {
  readonly name: string;
  readonly appliesTo: readonly Route[];
  /** Throws when the operation answers otherwise. */
  readonly run: (id: OperationId, route: Route) => Promise<void>;
}

/** Set before the checks run. */
export const apis = {} as {
  api: Api;
  /** Every policy allows one request a minute, which is used up. */
  withoutQuota: Api;
  withoutTables: Api;
  withoutDatabase: Api;
  /** Does not wait for bodies. */
  impatient: Api;
};

/** The names of a path's parameters behind the organization's. */
export function objectNames(route: Route): string[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => name !== 'org_id');
}

/** Path values that name nothing; the organization is ours. */
export function unknownObjects(route: Route): Record<string, string> {
  return Object.fromEntries(objectNames(route).map((name) => [name, randomUUID()]));
}

/** A call that gets as far as it can without naming a real object. */
export function blankCall(route: Route, call: Call = {}): Call {
  const hasBody = route.body?.required === true;
  return { path: unknownObjects(route), ...(hasBody ? { body: {} } : {}), ...call };
}

export function problem(status: number, code: string): object {
  return {
    status,
    body: {
      status,
      code,
      title: expect.any(String),
      detail: expect.any(String),
      request_id: expect.any(String),
    },
  };
}
