import { beforeAll, describe, expect, test } from 'vitest';
import { giveUsername } from '../support/usernames.ts';
import { accountVerifier } from '../support/verifier.ts';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import type { OAuthReply } from '../../src/oauth/exchange.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { expectRefusal, expectToken, noStore } from './expectations.ts';
import { addAccount, addClient, addOrganization, addUser, basic, softDelete, START } from './fixture.ts';
import { grant, tokenFixture } from './token-fixture.ts';

const fixture = tokenFixture();
const { authorization, secretPost } = fixture;

describe('the password grant', () => {
  const username = 'Staff@Partner.example';
  const password = 'pässwörd with 🔑';
  let header: string;
  let orgId: string;

  beforeAll(async () => {
    const application = await addClient(fixture.database.db, { grantType: 'password' });
    orgId = application.orgId;
    header = basic(application.clientId, application.clientSecret);
    await addAccount(fixture.database.db, orgId, username, password);
  });

  const ask = (name: string, word: string, authorization = header): Promise<OAuthReply> =>
    fixture.endpoint.issue({
      authorization,
      body: { grant_type: 'password', username: name, password: word },
    });

  test('acts as the user, whatever the letter case of the name, without a refresh token', async () => {
    const token = expectToken(await ask(username.toLowerCase(), password));
    const row = await fixture.database.db
      .selectFrom('access_tokens')
      .innerJoin('users', (join) =>
        join
          .onRef('users.org_id', '=', 'access_tokens.org_id')
          .onRef('users.id', '=', 'access_tokens.user_id'),
      )
      .select(['users.email', 'users.role'])
      .where('token_hash', '=', sha256Digest(token))
      .executeTakeFirst();
    expect(row).toEqual({ email: username, role: 'staff' });
  });

  test('is unauthorized_client for an application of the other type, and the reverse', async () => {
    expectRefusal(await ask(username, password, authorization()), 'unauthorized_client');
    expectRefusal(
      await fixture.endpoint.issue({ authorization: header, body: grant }),
      'unauthorized_client',
    );
  });

  test('is invalid_grant for a wrong password, an unknown name and a deleted user, all alike', async () => {
    const deleted = await addAccount(fixture.database.db, orgId, 'gone@partner.example', password);
    await softDelete(fixture.database.db, deleted);
    const wrong = await ask(username, 'wrong');
    expectRefusal(wrong, 'invalid_grant');
    expect(await ask('nobody@partner.example', password)).toEqual(wrong);
    expect(await ask('a\0b', password)).toEqual(wrong);
    expect(await ask('gone@partner.example', password)).toEqual(wrong);
    expect(await ask('nobody@partner.example', 'nobody')).toEqual(wrong);
  });

  test('is invalid_grant for a user of another organization', async () => {
    await addAccount(
      fixture.database.db,
      await addOrganization(fixture.database.db),
      'far@partner.example',
      password,
    );
    expectRefusal(await ask('far@partner.example', password), 'invalid_grant');
  });

  test('is invalid_grant before the first password change', async () => {
    await fixture.database.db
      .updateTable('users')
      .set({ password_change_required: true, initial_password_expires_at: new Date(START.getTime() + 1) })
      .where('email', '=', username)
      .execute();
    const answer = await ask(username, password);
    await fixture.database.db
      .updateTable('users')
      .set({ initial_password_expires_at: START })
      .where('email', '=', username)
      .execute();
    const late = await ask(username, password);
    await fixture.database.db
      .updateTable('users')
      .set({ password_change_required: false, initial_password_expires_at: null })
      .where('email', '=', username)
      .execute();
    expectRefusal(answer, 'invalid_grant');
    expect(answer.body?.error_description).toContain('must be changed');
    expectRefusal(late, 'invalid_grant');
    expect(late.body?.error_description).toContain('has expired');
    expectToken(await ask(username, password));
  });

  test('is invalid_grant for a user without a password, and invalid_request without name or password', async () => {
    const userId = await addUser(fixture.database.db, orgId);
    await giveUsername(fixture.database.db, { orgId, userId }, 'bare');
    expectRefusal(await ask('bare', 'nobody'), 'invalid_grant');
    expectRefusal(await ask('', password), 'invalid_request');
    expectRefusal(await ask(username, ''), 'invalid_request');
  });

  test('takes as long for an unknown name as for a wrong password', async () => {
    const fastest = async (name: string): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 3; round++) {
        const from = performance.now();
        await ask(name, 'wrong');
        times.push(performance.now() - from);
      }
      return Math.min(...times);
    };
    const [known, unknown] = [await fastest(username), await fastest('nobody')];
    // Without the comparison for nobody it is about a hundredth.
    expect(unknown).toBeGreaterThan(known / 3);
  });
});

describe('revocation', () => {
  const stored = async (token: string): Promise<boolean> =>
    (await fixture.database.db
      .selectFrom('access_tokens')
      .select('scope')
      .where('token_hash', '=', sha256Digest(token))
      .executeTakeFirst()) !== undefined;
  const done = { status: 200, headers: noStore, body: undefined };

  test.each([undefined, 'access_token', 'refresh_token', 'unknown'])(
    'ends a token with the hint %p and tells the authenticator',
    async (hint) => {
      const forgotten: string[] = [];
      const telling = createTokenEndpoint({
        db: fixture.database.db,
        settings: { accessTokenSeconds: 36_000 },
        clock: () => START,
        verifyAccount: accountVerifier(fixture.database.db),
        invalidateCachedToken: (tokenDigest) => forgotten.push(tokenDigest),
      });
      const token = expectToken(await telling.issue({ authorization: authorization(), body: grant }));
      const body = hint === undefined ? { token } : { token, token_type_hint: hint };
      expect(await telling.revoke({ authorization: authorization(), body })).toEqual(done);
      expect(await stored(token)).toBe(false);
      expect(forgotten).toEqual([sha256Digest(token).toString('hex')]);
      expect(await telling.revoke({ authorization: authorization(), body })).toEqual(done);
    },
  );

  test('client credentials in the body are taken, an unknown token is 200, a missing one invalid_request', async () => {
    const post = { authorization: undefined, body: { ...secretPost(), token: 'unknown' } };
    expect(await fixture.endpoint.revoke(post)).toEqual(done);
    expectRefusal(
      await fixture.endpoint.revoke({ authorization: authorization(), body: {} }),
      'invalid_request',
    );
  });

  test('a token of another application stays valid', async () => {
    const other = await addClient(fixture.database.db, { orgId: fixture.client.orgId });
    const token = expectToken(await fixture.endpoint.issue({ authorization: authorization(), body: grant }));
    const header = basic(other.clientId, other.clientSecret);
    expect(await fixture.endpoint.revoke({ authorization: header, body: { token } })).toEqual(done);
    expect(await stored(token)).toBe(true);
  });

  test('a wrong secret ends nothing', async () => {
    const token = expectToken(await fixture.endpoint.issue({ authorization: authorization(), body: grant }));
    const header = basic(fixture.client.clientId, 'wrong');
    expectRefusal(
      await fixture.endpoint.revoke({ authorization: header, body: { token } }),
      'invalid_client',
    );
    expect(await stored(token)).toBe(true);
  });
});
