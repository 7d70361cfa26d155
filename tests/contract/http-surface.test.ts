import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { parse } from 'yaml';
import { sha256Digest, newClientId, newClientSecret } from '../../src/domain/security/credentials.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';

// The HTTP surface itself: token endpoints, request ids, methods, paths, the published document.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const fleets = (): string => `/api/partners/v2.0/org/${api.own.orgId}/device-simulator/fleets`;
const bearer = (): { authorization: string } => ({ authorization: `Bearer ${api.own.admin.token}` });

async function client(): Promise<{ client_id: string; client_secret: string }> {
  const [client_id, client_secret] = [newClientId(), newClientSecret()];
  const application = {
    orgId: api.own.orgId,
    ownerUserId: api.own.admin.id,
    name: 'Ground',
    clientId: client_id,
    secretHash: sha256Digest(client_secret),
    grantType: 'client-credentials' as const,
  };
  await insertApplication(api.db, application, api.clock.now());
  return { client_id, client_secret };
}

describe('a token', () => {
  test.each(['issueToken', 'issueTokenAtRoot'] as const)(
    'comes from %s, works, and ends when it is revoked',
    async (id) => {
      const credentials = await client();
      const issued = await api.call(id, { body: { grant_type: 'client_credentials', ...credentials } });
      expect(issued).toMatchObject({
        status: 200,
        body: { token_type: 'Bearer', expires_in: 36_000, scope: 'read write' },
        headers: { 'cache-control': 'no-store' },
      });
      const token = issued.body.access_token as string;
      expect((await api.call('listUsers', { token })).status).toBe(200);
      expect((await api.call('revokeToken', { body: { token, ...credentials } })).status).toBe(200);
      expect((await api.call('listUsers', { token })).status).toBe(401);
    },
  );

  test('is asked for where the metadata says', async () => {
    const { status, body } = await api.call('getAuthorizationServerMetadata');
    expect(status).toBe(200);
    expect(body).toMatchObject({ issuer: api.baseUrl, token_endpoint: `${api.baseUrl}/oauth2/token/` });
  });
});

test('a sign-up request is taken without a token, and kept', async () => {
  const body = { email: 'new@example.com', url: 'https://example.com', invite_token: randomUUID() };
  expect(await api.call('requestSignup', { body })).toMatchObject({ status: 200, body: {} });
  const rows = await api.db.selectFrom('signup_requests').select(['email', 'url', 'invite_token']).execute();
  expect(rows).toEqual([body]);
});

describe('a number in a query', () => {
  test.each(['0x10', '%205', '5%20', '1e400', '1e1', '+5', 'Infinity', ''])('is not %j', async (text) => {
    const url = `/api/partners/v2.0/org/${api.own.orgId}/users?limit=${text}`;
    const answer = await api.fetch('get', url, bearer());
    expect([answer.status, answer.body.errors?.[0]]).toEqual([
      422,
      expect.objectContaining({ parameter: 'limit', in: 'query', code: 'type' }),
    ]);
  });
});

describe('a request id', () => {
  test('of the client is kept where it is well formed', async () => {
    const kept = await api.call('listUsers', { token: null, headers: { 'x-request-id': 'abc.DEF-123_4' } });
    expect([kept.headers['x-request-id'], kept.body.request_id]).toEqual(['abc.DEF-123_4', 'abc.DEF-123_4']);
  });

  test.each(['short', 'with space in it', 'x'.repeat(129)])('%j is replaced', async (id) => {
    const answer = await api.call('listUsers', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a path', () => {
  test('answers with and without a trailing slash, in place', async () => {
    for (const url of [fleets(), `${fleets()}/`])
      expect((await api.fetch('get', url, bearer())).status).toBe(200);
  });

  test('that nobody knows is 404', async () => {
    const answer = await api.fetch('get', '/api/partners/v2.0/nothing');
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'not_found', instance: '/api/partners/v2.0/nothing' },
    });
  });

  test('names its methods when it does not know the one asked for, before it asks for a token', async () => {
    const answer = await api.fetch('delete', fleets());
    expect(answer).toMatchObject({
      status: 405,
      body: { code: 'method_not_allowed' },
      headers: { allow: 'POST, GET, HEAD, OPTIONS' },
    });
  });

  test('with a broken percent sequence is refused', async () => {
    const answer = await api.fetch('get', '/api/partners/v2.0/org/%ff/users', bearer());
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });

  test('may hold the organization in upper case', async () => {
    expect((await api.call('listUsers', { path: { org_id: api.own.orgId.toUpperCase() } })).status).toBe(200);
  });
});

test('the signed secret of a link does not stand in a problem', async () => {
  const answer = await api.call('resolveNotificationItem', {
    path: { item_id: randomUUID() },
    query: { secret: 'hush-hush' },
  });
  expect(answer.status).toBe(404);
  expect(answer.text).not.toContain('hush-hush');
});

describe('the published document', () => {
  test('names this server', async () => {
    const { status, body } = await api.fetch('get', '/api/partners/v2.0/openapi.json');
    expect(status).toBe(200);
    const { servers, components } = body as {
      servers: { url: string }[];
      components: {
        securitySchemes: { oauth2: { flows: Record<string, { tokenUrl: string; scopes: object }> } };
      };
    };
    expect(servers[0]?.url).toBe(api.baseUrl);
    expect(Object.keys(components.securitySchemes.oauth2.flows).sort()).toEqual([
      'clientCredentials',
      'password',
    ]);
    for (const flow of Object.values(components.securitySchemes.oauth2.flows)) {
      expect(flow).toMatchObject({ tokenUrl: `${api.baseUrl}/api/partners/v2.0/auth/token`, scopes: {} });
    }
  });

  test('comes as YAML too, without a token', async () => {
    const { status, text } = await api.fetch('get', '/api/partners/v2.0/openapi.yaml');
    expect(status).toBe(200);
    expect(text).toMatch(/^openapi: 3\.1\.0$/m);
    const json = await api.fetch('get', '/api/partners/v2.0/openapi.json');
    expect(parse(text)).toEqual(json.body);
  });

  test('is where the workflows say, which are published with it', async () => {
    const guide = await api.fetch('get', '/docs/guide/workflows.md');
    const addresses = [...guide.text.matchAll(/\]\((\/api\/\S+)\)/g)].map(([, address = '']) => address);
    expect(addresses).toHaveLength(readdirSync(join(import.meta.dirname, '../../openapi/workflows')).length);
    for (const address of addresses) {
      const { status, text, headers } = await api.fetch('get', address);
      expect([address, status, headers['content-type']]).toEqual([
        address,
        200,
        'application/yaml; charset=utf-8',
      ]);
      const { sourceDescriptions } = parse(text) as { sourceDescriptions: { url: string }[] };
      expect(sourceDescriptions.map(({ url }) => new URL(url, `${api.baseUrl}${address}`).pathname)).toEqual([
        '/api/partners/v2.0/openapi.yaml',
      ]);
    }
  });
});

test('a write into an organization that was removed meanwhile is refused like one that never was', async () => {
  const gone = await startApi();
  try {
    // The organization is there when the caller is checked, and gone when the row is written.
    await sql`
      create function remove_organization() returns trigger language plpgsql as $$
        begin
          raise foreign_key_violation using constraint = 'users_org_fkey',
            message = 'insert or update on table "users" violates foreign key constraint "users_org_fkey"';
        end $$`.execute(gone.db);
    await sql`
      create trigger remove_organization before insert on users for each row execute function remove_organization()`.execute(
      gone.db,
    );
    const answer = await gone.call('createUser', { body: { email: 'late@example.com', role: 'user' } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'organization_forbidden' } });
  } finally {
    await gone.close();
  }
});
