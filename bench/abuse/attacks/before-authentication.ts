// Attacks of anybody who knows the address.
import { randomBytes, randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import { ROUTES } from '../../../generated/routes.ts';
import { HOUR_MS } from '../../../src/domain/api/durations.ts';
import { SERVER_LIMITS } from '../../../src/http/bounded-server.ts';
import { apiPath, bearer } from '../attack.ts';
import type { Aim, Attack } from '../attack.ts';
import { churn, flood, hold, OF_AN_ADDRESS, pipeline, requestText, volley } from '../wire.ts';
import type { Sent } from '../wire.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };
const usersPath = ({ target }: Aim): string => apiPath(target.orgId, '/users');

/** A megabyte of fields, all of other names. */
function largeForm(): string {
  let text = 'grant_type=client_credentials';
  for (let i = 0; text.length < 1_048_000; i++) text += `&field%20${i}=%41%42%43`;
  return text;
}

function largeHeaders(fields: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: fields }, (_, i) => [`x-header-${i}`, 'v'.repeat(145)]));
}

/** The beginning of a body of which the rest never comes. */
function halfOpen(): string {
  const headers = { ...JSON_BODY, 'content-length': '10000' };
  return requestText({ method: 'POST', path: '/oauth2/token/', headers, body: '{"grant_type":' });
}

function withUnknownToken(aim: Aim): Sent {
  const token = `pat_${randomBytes(32).toString('base64url')}`;
  return { method: 'GET', path: usersPath(aim), headers: bearer(token) };
}

function login(n: number): Sent {
  const csrf = randomBytes(32).toString('base64url');
  return {
    method: 'POST',
    path: '/accounts/login',
    headers: { ...FORM, cookie: `partner_login=${csrf}` },
    body: `csrf_token=${csrf}&username=person${n}%40example.com&password=${randomUUID()}`,
  };
}

export const attacksBeforeAuthentication: readonly Attack[] = [
  {
    name: 'query-string',
    by: 'anybody',
    what: '15 kB of a repeated name, 20 at once',
    run: (aim) => {
      // Of an operation that anybody may call, whose query is read.
      const path = `/.well-known/oauth-authorization-server?${'x&'.repeat(7_500)}`;
      return flood(aim, 20, () => ({ method: 'GET', path }));
    },
  },
  {
    name: 'forms',
    by: 'anybody',
    what: '1 MiB of form fields to the token endpoint, 8 at once',
    run: (aim) => {
      const body = largeForm();
      return flood(aim, 8, () => ({ method: 'POST', path: '/oauth2/token/', headers: FORM, body }));
    },
  },
  {
    name: 'half-open',
    by: 'anybody',
    what: '2,000 bodies that do not end, opened at 200/s from 25 addresses',
    run: (aim) => hold(aim, 2_000, 200, halfOpen()),
  },
  {
    name: 'half-open-burst',
    by: 'anybody',
    isBurst: true,
    what: '2,000 bodies that do not end, opened at once from 25 addresses',
    run: (aim) => hold(aim, 2_000, Infinity, halfOpen()),
  },
  {
    name: 'slow-headers',
    by: 'anybody',
    what: '2,000 requests whose headers do not end, opened at 200/s from 25 addresses',
    run: (aim) => hold(aim, 2_000, 200, `GET ${usersPath(aim)} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `),
  },
  {
    name: 'pipelining',
    by: 'anybody',
    what: '100 and 2,000 requests in one write, on 8 connections each',
    run: async (aim) => {
      const request = requestText({ method: 'GET', path: '/nothing-is-here' });
      await Promise.all([100, 2_000].map((depth) => pipeline(aim, 8, depth, request, Infinity)));
    },
  },
  {
    name: 'unknown-tokens',
    by: 'anybody',
    what: 'a new unknown token each time, 32 at once',
    run: (aim) => flood(aim, 32, () => withUnknownToken(aim)),
  },
  {
    name: 'refused-everywhere',
    by: 'anybody',
    what: 'a new unknown token each time, on all connections that an address may have',
    run: (aim) => flood(aim, SERVER_LIMITS.maxConnectionsOfAddress, () => withUnknownToken(aim)),
  },
  {
    name: 'unknown-sessions',
    by: 'anybody',
    what: 'a new made-up session cookie at the portal each time, 32 at once',
    run: (aim) =>
      flood(aim, 32, () => ({
        method: 'GET',
        path: '/oauth2/applications/',
        headers: { cookie: `partner_session=${randomBytes(32).toString('base64url')}` },
      })),
  },
  {
    name: 'unknown-clients',
    by: 'anybody',
    what: 'a new unknown client at the token endpoint each time, 32 at once',
    run: (aim) =>
      flood(aim, 32, (n) => ({
        method: 'POST',
        path: '/oauth2/token/',
        headers: JSON_BODY,
        body: `{"grant_type":"client_credentials","client_id":"client${n}","client_secret":"secret"}`,
      })),
  },
  {
    name: 'victims-client',
    by: 'anybody',
    what: "wrong secrets with the other partner's client id, 32 at once",
    run: (aim) =>
      flood(aim, 32, () => ({
        method: 'POST',
        path: '/oauth2/token/',
        headers: JSON_BODY,
        body: `{"grant_type":"client_credentials","client_id":"${aim.target.victimClientId}","client_secret":"wrong"}`,
      })),
  },
  {
    name: 'login',
    by: 'anybody',
    what: 'logins at the portal, each of another account, 32 at once',
    run: (aim) => flood(aim, 32, login),
  },
  {
    name: 'sign-up',
    by: 'anybody',
    what: 'requests to be signed up, 32 at once',
    run: (aim) =>
      flood(aim, 32, (n) => ({
        method: 'POST',
        path: '/api/partners/v2.0/auth/signup-request',
        headers: JSON_BODY,
        body: JSON.stringify({
          email: `person${n}@example.com`,
          url: `https://example.com/${'a'.repeat(2_000)}`,
          invite_token: randomUUID(),
        }),
      })),
  },
  {
    name: 'consent-links',
    by: 'anybody',
    what: `consent pages by links that are made up, every other one of no form, ${OF_AN_ADDRESS} at once`,
    run: (aim) => {
      const secrets = [`${(Date.now() + HOUR_MS).toString(36)}.${'a'.repeat(43)}`, 'a'] as const;
      return flood(aim, OF_AN_ADDRESS, (n) => ({
        method: 'GET',
        path: `/portal/consent/${randomUUID()}?secret=${secrets[n % 2] ?? ''}&return=b`,
      }));
    },
  },
  {
    name: 'document-slowly',
    by: 'anybody',
    what: 'the document and the reference asked for 20 times on 200 connections from three addresses, read at 1 kB/s',
    run: async (aim) => {
      const ask = (path: string): Promise<void> =>
        pipeline(aim, 100, 20, requestText({ method: 'GET', path }), 1_000);
      await Promise.all([ask('/api/partners/v2.0/openapi.json'), ask('/docs')]);
    },
  },
  {
    name: 'document',
    by: 'anybody',
    what: 'the document and the reference, 32 at once',
    run: (aim) => {
      const paths = ['/api/partners/v2.0/openapi.json', '/docs'] as const;
      return flood(aim, 32, (n) => ({ method: 'GET', path: paths[n % 2] ?? '' }));
    },
  },
  {
    name: 'large-headers',
    by: 'anybody',
    what: '15 and 60 kB of headers, 32 at once',
    run: (aim) => {
      const headers = [largeHeaders(90), largeHeaders(360)] as const;
      return flood(aim, 32, (n) => ({ method: 'GET', path: usersPath(aim), headers: headers[n % 2] ?? {} }));
    },
  },
  {
    name: 'long-paths',
    by: 'anybody',
    what: 'paths of 15 kB that lead nowhere or cannot be decoded, 32 at once',
    run: (aim) => {
      const paths = [`/api/${'a/'.repeat(7_000)}`, `${usersPath(aim)}/${'%E0%A4'.repeat(2_300)}`] as const;
      return flood(aim, 32, (n) => ({ method: 'GET', path: paths[n % 2] ?? '' }));
    },
  },
  {
    name: 'cookies',
    by: 'anybody',
    what: '8 and 60 KiB of cookies to the portal, 32 at once',
    run: (aim) => {
      const cookies = ['a=b;'.repeat(2_048), 'a=b;'.repeat(15_360)] as const;
      return flood(aim, 32, (n) => ({
        method: 'GET',
        path: '/accounts/login',
        headers: { cookie: cookies[n % 2] ?? '' },
      }));
    },
  },
  {
    name: 'probes',
    by: 'anybody',
    readsMetrics: true,
    what: '/metrics and /readyz, 32 at once',
    run: (aim) => flood(aim, 32, (n) => ({ method: 'GET', path: n % 2 === 0 ? '/metrics' : '/readyz' })),
  },
  {
    name: 'odd-methods',
    by: 'anybody',
    readsMetrics: true,
    what: 'every method of Node on every path, and /metrics at every eighth request, 32 at once',
    run: (aim) => {
      const paths = [...new Set(ROUTES.map(({ path }) => path.replaceAll(/\{\w+\}/g, aim.target.orgId)))];
      const methods = METHODS.filter((method) => method !== 'CONNECT');
      return flood(aim, 32, (n) =>
        n % 8 === 0
          ? { method: 'GET', path: '/metrics' }
          : {
              method: methods[n % methods.length] ?? '',
              path: paths[Math.floor(n / methods.length) % paths.length] ?? '',
            },
      );
    },
  },
  {
    name: 'many-connections',
    by: 'anybody',
    what: `the login page over ${OF_AN_ADDRESS} kept connections, each one request after the other`,
    run: (aim) => flood(aim, OF_AN_ADDRESS, () => ({ method: 'GET', path: '/accounts/login/' })),
  },
  {
    name: 'many-probes',
    by: 'anybody',
    what: `/livez over ${OF_AN_ADDRESS} kept connections, each one request after the other`,
    run: (aim) => flood(aim, OF_AN_ADDRESS, () => ({ method: 'GET', path: '/livez' })),
  },
  {
    name: 'connection-burst',
    by: 'anybody',
    what: `${OF_AN_ADDRESS} kept connections that ask for the login page in the same moment, every second`,
    run: (aim) => volley(aim, OF_AN_ADDRESS, 1_000, requestText({ method: 'GET', path: '/accounts/login/' })),
  },
  {
    name: 'churn',
    by: 'anybody',
    what: 'a connection for each request, 64 at once',
    run: (aim) => churn(aim, 64, requestText({ method: 'GET', path: '/livez' })),
  },
];
