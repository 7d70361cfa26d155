import { expect } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { MAX_HEADER_FIELDS, MAX_QUERY_PARAMETERS, MAX_URL_BYTES } from '../../src/http/request-bounds.ts';
import { apis, blankCall, problem } from './operation-calls.ts';
import type { Check } from './operation-calls.ts';

/** What no operation reads, whoever asks. */
export const boundChecks: readonly Check[] = [
  {
    name: 'refuses an address of more than 8 KiB',
    appliesTo: ROUTES,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { query: { x: 'y'.repeat(MAX_URL_BYTES) } }));
      expect(answer).toMatchObject(problem(414, 'uri_too_long'));
    },
  },
  {
    name: 'refuses more query parameters than there may be',
    appliesTo: ROUTES,
    run: async (id, route) => {
      const x = Array<string>(MAX_QUERY_PARAMETERS + 1).fill('y');
      const answer = await apis.api.call(id, blankCall(route, { query: { x } }));
      expect(answer).toMatchObject(problem(400, 'malformed_request'));
    },
  },
  {
    name: 'refuses more header fields than there may be',
    appliesTo: ROUTES,
    run: async (id, route) => {
      const names = Array.from({ length: MAX_HEADER_FIELDS }, (_, index) => `x-${index}`);
      const headers = Object.fromEntries(names.map((name) => [name, 'y']));
      const answer = await apis.api.call(id, blankCall(route, { headers }));
      expect(answer).toMatchObject(problem(431, 'header_too_large'));
    },
  },
  {
    name: 'refuses to expect what no service does',
    appliesTo: ROUTES,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { headers: { expect: 'a-miracle' } }));
      expect(answer).toMatchObject(problem(417, 'expectation_failed'));
    },
  },
  {
    name: 'ends a request whose body does not come',
    appliesTo: ROUTES.filter((route) => route.body !== null),
    run: async (id, route) => {
      const answer = await apis.impatient.callWithoutBody(id, blankCall(route));
      expect(answer).toMatchObject(problem(408, 'request_timeout'));
    },
  },
];
