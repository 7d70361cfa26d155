// Do clients that others wrote get tokens at both addresses, as their own manuals tell to ask for them?
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { elementText, formOf, Visitor } from '../portal/visitor.ts';
import { fixedCredentials, run } from '../process/partner.ts';
import type { Credentials } from '../process/partner.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { oauth4webapi, openidClient, simpleOauth2 } from './libraries.ts';
import type { TokenSet } from './libraries.ts';

const fixed = fixedCredentials();
const ownPassword = 'a password of my own choosing';
const addresses = ['/oauth2/token/', '/api/partners/v2.0/auth/token'];
let service: ServiceProcess;

beforeAll(async () => {
  // All clients come from one address: the tries below are more than a person makes in a minute.
  service = await startServiceOnSharedServer({ env: { ...fixed.env, RATE_LIMITS: 'login=1000/60' } });
});
afterAll(() => service.remove());

/** The answer has what the document says and no refresh token, and the token opens the API. */
async function expectGoodToken(answer: TokenSet): Promise<void> {
  expect(answer.token_type.toLowerCase()).toBe('bearer');
  expect(answer).toMatchObject({ access_token: expect.any(String), scope: 'read write' });
  expect(answer).not.toHaveProperty('refresh_token');
  const users = await fetch(`${service.baseUrl}/api/partners/v2.0/org/${fixed.orgId}/users`, {
    headers: { authorization: `Bearer ${answer.access_token}` },
  });
  expect(users.status).toBe(200);
}

describe('openid-client', () => {
  test.each(['ClientSecretBasic', 'ClientSecretPost'] as const)(
    'discovers the server, %s',
    async (method) => {
      const client = await openidClient();
      const config = await client.discovery(
        new URL(service.baseUrl),
        fixed.clientId,
        undefined,
        client[method](fixed.clientSecret),
        { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
      );
      const answer = await client.clientCredentialsGrant(config);
      await expectGoodToken(answer);
      await client.tokenRevocation(config, answer.access_token);
      const refused = await fetch(`${service.baseUrl}/api/partners/v2.0/org/${fixed.orgId}/users`, {
        headers: { authorization: `Bearer ${answer.access_token}` },
      });
      expect(refused.status).toBe(401);
    },
  );

  test.each(addresses)('asks at %s', async (path) => {
    const client = await openidClient();
    const server = { issuer: service.baseUrl, token_endpoint: service.baseUrl + path };
    const authentication = client.ClientSecretBasic(fixed.clientSecret);
    const config = new client.Configuration(server, fixed.clientId, undefined, authentication);
    client.allowInsecureRequests(config);
    await expectGoodToken(await client.clientCredentialsGrant(config, { scope: 'read write' }));
    await expect(
      client.genericGrantRequest(config, 'refresh_token', { refresh_token: 'none-was-given' }),
    ).rejects.toMatchObject({ error: 'unsupported_grant_type', status: 400 });
  });

  test('understands the refusal of a wrong secret', async () => {
    const client = await openidClient();
    const config = await client.discovery(
      new URL(service.baseUrl),
      fixed.clientId,
      undefined,
      client.ClientSecretBasic('wrong'),
      { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
    );
    // RFC 6749 5.2: 401 with a challenge, which the library reads.
    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({
      status: 401,
      cause: [expect.objectContaining({ scheme: 'basic' })],
    });
  });
});

describe('oauth4webapi', () => {
  test('discovers the server by RFC 8414 and gets a token', async () => {
    const oauth = await oauth4webapi();
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(service.baseUrl);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    expect(server.token_endpoint).toBe(`${service.baseUrl}/oauth2/token/`);
    const client = { client_id: fixed.clientId };
    const authentication = oauth.ClientSecretPost(fixed.clientSecret);
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure);
    await expectGoodToken(await oauth.processClientCredentialsResponse(server, client, response));
  });

  test.each(addresses)('asks at %s', async (path) => {
    const oauth = await oauth4webapi();
    const server = { issuer: service.baseUrl, token_endpoint: service.baseUrl + path };
    const client = { client_id: fixed.clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(fixed.clientSecret),
      { scope: 'read write' },
      { [oauth.allowInsecureRequests]: true },
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    await expectGoodToken(await oauth.processClientCredentialsResponse(server, client, response));
  });
});

const ways = addresses.flatMap((path) =>
  (['header', 'body'] as const).flatMap((authorizationMethod) =>
    (['form', 'json'] as const).map((bodyFormat) => ({ path, authorizationMethod, bodyFormat })),
  ),
);

function simpleSettings({ clientId, clientSecret }: Omit<Credentials, 'orgId'>, way = ways[0]) {
  const { path = '', ...options } = way ?? {};
  return {
    client: { id: clientId, secret: clientSecret },
    auth: { tokenHost: service.baseUrl, tokenPath: path },
    options,
  };
}

describe('simple-oauth2', () => {
  test.each(ways)('asks at $path, credentials in the $authorizationMethod, $bodyFormat', async (way) => {
    const { ClientCredentials } = await simpleOauth2();
    const { token } = await new ClientCredentials(simpleSettings(fixed, way)).getToken({});
    await expectGoodToken(token);
    expect(token.expires_in).toBe(36_000);
  });
});

describe('curl', () => {
  test.each(addresses)('-u asks at %s, JSON and form', async (path) => {
    const basic = ['-sS', '--fail', '-u', `${fixed.clientId}:${fixed.clientSecret}`, service.baseUrl + path];
    for (const more of [
      ['-H', 'Content-Type: application/json', '-d', '{"grant_type": "client_credentials"}'],
      ['-H', 'Cache-Control: no-cache', '-d', 'grant_type=client_credentials'],
    ]) {
      const answered = await run('curl', [...basic, ...more]);
      expect([answered.code, answered.log]).toEqual([0, '']);
      await expectGoodToken(JSON.parse(answered.output) as TokenSet);
    }
  });
});

test('the password grant gives a token without a refresh token once the password was changed by hand', async () => {
  const { ResourceOwnerPassword } = await simpleOauth2();
  const browser = new Visitor(service.baseUrl);
  expect((await browser.login(fixed.email, fixed.password)).headers['location']).toBe(
    '/accounts/password_change/',
  );
  await browser.submit('/accounts/password_change/', {
    old_password: fixed.password,
    new_password1: ownPassword,
    new_password2: ownPassword,
  });
  const register = '/oauth2/applications/register/';
  const form = formOf((await browser.get(register)).text, register);
  const page = await browser.post(register, {
    ...form,
    name: 'For people',
    authorization_grant_type: 'password',
  });
  const application = {
    clientId: elementText(page.text, 'client_id') ?? '',
    clientSecret: elementText(page.text, 'client_secret') ?? '',
  };
  for (const way of ways) {
    const grant = new ResourceOwnerPassword(simpleSettings(application, way));
    const { token } = await grant.getToken({ username: fixed.email, password: ownPassword });
    await expectGoodToken(token);
  }
  // The first application was registered for the other grant.
  await expect(
    new ResourceOwnerPassword(simpleSettings(fixed)).getToken({
      username: fixed.email,
      password: ownPassword,
    }),
  ).rejects.toMatchObject({ data: { payload: { error: 'unauthorized_client' } } });
});
