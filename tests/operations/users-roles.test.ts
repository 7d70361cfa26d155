import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { OperationId } from '../../generated/routes.ts';
import type { Role } from '../../src/domain/users/roles.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api, Company, Person } from '../support/api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { parts, refusal } from './refusal.ts';

let api: Api;
/** An organization of the test's own. */
let own: Company;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  const orgId = randomUUID();
  const createdAt = api.clock.now();
  await insertOrganization(api.db, {
    id: orgId,
    name: 'Test',
    kind: 'partner',
    parentOrgId: null,
    createdAt,
  });
  const person = (role: Role): Promise<Person> => addPerson(api.db, orgId, role, createdAt);
  own = { orgId, admin: await person('admin'), staff: await person('staff'), user: await person('user') };
});

function call(id: OperationId, { path, ...rest }: Call = {}): Promise<Answer> {
  return api.call(id, { token: own.admin.token, ...rest, path: { org_id: own.orgId, ...path } });
}

const idsOf = (body: unknown): string[] => (body as { id: string }[]).map(({ id }) => id).toSorted();

describe('staff', () => {
  test('sees end users and itself alone', async () => {
    const { admin, staff, user } = own;
    const other = await addPerson(api.db, own.orgId, 'staff', api.clock.now());
    const { token } = staff;
    expect(idsOf((await call('listUsers', { token })).body)).toEqual([staff.id, user.id].toSorted());
    for (const [person, status] of [
      [staff, 200],
      [user, 200],
      [admin, 404],
      [other, 404],
    ] as const) {
      const path = { user_id: person.id };
      expect((await call('getUser', { path, token })).status).toBe(status);
      expect((await call('updateUser', { path, token, body: { town: 'Linz' } })).status).toBe(status);
    }
    await call('updateUser', { path: { user_id: admin.id }, body: { external_user_id: 'boss' } });
    expect((await call('getUserByExternalId', { path: { external_user_id: 'boss' }, token })).status).toBe(
      404,
    );
    expect((await call('deleteUser', { path: { user_id: admin.id }, token })).status).toBe(404);
    const itself = await call('deleteUser', { path: { user_id: staff.id }, token });
    expect(refusal(itself)).toEqual([403, 'role_forbidden']);
    expect((await call('deleteUser', { path: { user_id: user.id }, token })).status).toBe(204);
    const deleted = await call('listUsers', { token, query: { include_deleted: true } });
    expect(idsOf(deleted.body)).toEqual([staff.id, user.id].toSorted());
  });

  test('creates end users alone and changes no role', async () => {
    const { token, id } = own.staff;
    const roles = ['user', 'staff', 'admin'] as const;
    const answers = await Promise.all(
      roles.map((role) => call('createUser', { token, body: { email: `${role}@example.com`, role } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 403, 403]);
    expect(answers.slice(1).map(refusal)).toEqual([
      [403, 'role_forbidden'],
      [403, 'role_forbidden'],
    ]);
    const raise = await call('updateUser', { token, path: { user_id: id }, body: { role: 'admin' } });
    expect(refusal(raise)).toEqual([403, 'role_change_forbidden']);
    const same = await call('updateUser', {
      token,
      path: { user_id: id },
      body: { role: 'staff', town: 'Linz' },
    });
    expect(parts(same, 'role', 'town')).toEqual([200, 'staff', 'Linz']);
  });
});

describe('a user', () => {
  test('sees and changes itself alone, creates and deletes nobody', async () => {
    const { admin, staff, user } = own;
    const other = await addPerson(api.db, own.orgId, 'user', api.clock.now());
    const { token } = user;
    expect(idsOf((await call('listUsers', { token, query: { limit: 10 } })).body)).toEqual([user.id]);
    for (const person of [admin, staff, other]) {
      const path = { user_id: person.id };
      expect((await call('getUser', { path, token })).status).toBe(404);
      expect((await call('updateUser', { path, token, body: {} })).status).toBe(404);
    }
    const path = { user_id: user.id };
    expect((await call('updateUser', { path, token, body: { town: 'Linz' } })).status).toBe(200);
    const raise = await call('updateUser', { path, token, body: { role: 'admin' } });
    expect(refusal(raise)).toEqual([403, 'role_change_forbidden']);
    const create = await call('createUser', { token, body: { email: 'x@example.com', role: 'user' } });
    expect(refusal(create)).toEqual([403, 'role_forbidden']);
    expect((await call('deleteUser', { path, token })).status).toBe(403);
  });
});

describe('the last admin', () => {
  test('is neither demoted nor deleted', async () => {
    const path = { user_id: own.admin.id };
    const demoted = await call('updateUser', { path, body: { role: 'staff' } });
    const deleted = await call('deleteUser', { path });
    expect([demoted, deleted].map(refusal)).toEqual([
      [409, 'last_admin'],
      [409, 'last_admin'],
    ]);
    expect((await call('updateUser', { path, body: { role: 'admin', town: 'Linz' } })).status).toBe(200);
  });

  test('remains when all admins step down at once', async () => {
    const now = api.clock.now();
    const admins = [own.admin];
    for (let i = 0; i < 5; i++) admins.push(await addPerson(api.db, own.orgId, 'admin', now));
    const answers = await Promise.all(
      admins.map(({ id, token }, i) =>
        i % 2 === 0
          ? call('updateUser', { token, path: { user_id: id }, body: { role: 'user' } })
          : call('deleteUser', { token, path: { user_id: id } }),
      ),
    );
    const refused = answers.filter(({ status }) => status >= 400);
    expect(refused.map(refusal)).toEqual([[409, 'last_admin']]);
    const left = await api.db
      .selectFrom('users')
      .select('id')
      .where('org_id', '=', own.orgId)
      .where('role', '=', 'admin')
      .where('deleted_at', 'is', null)
      .execute();
    expect(left).toHaveLength(1);
  });
});

describe('tokens', () => {
  const isOpen = async ({ token, id }: Person): Promise<number> =>
    (await call('getUser', { token, path: { user_id: id } })).status;

  test('end with their user at once, those of its applications too', async () => {
    const leaving = await addPerson(api.db, own.orgId, 'staff', api.clock.now());
    const application = await api.db
      .selectFrom('applications')
      .select('id')
      .where('owner_user_id', '=', leaving.id)
      .executeTakeFirstOrThrow();
    // A password grant acts as somebody else than the application's owner.
    await api.db
      .updateTable('access_tokens')
      .set({ application_id: application.id })
      .where('user_id', '=', own.staff.id)
      .execute();
    const session = {
      session_hash: Buffer.alloc(32),
      org_id: own.orgId,
      user_id: leaving.id,
      csrf_secret: 'x',
    };
    const times = { created_at: api.clock.now(), expires_at: new Date('2100-01-01T00:00:00Z') };
    await api.db
      .insertInto('portal_sessions')
      .values({ ...session, ...times })
      .execute();
    expect([await isOpen(leaving), await isOpen(own.staff), await isOpen(own.user)]).toEqual([200, 200, 200]);
    expect((await call('deleteUser', { path: { user_id: leaving.id } })).status).toBe(204);
    expect([await isOpen(leaving), await isOpen(own.staff), await isOpen(own.user)]).toEqual([401, 401, 200]);
    const sessions = await api.db.selectFrom('portal_sessions').select('user_id').execute();
    expect(sessions).toEqual([]);
  });

  test('carry a new role at once', async () => {
    const { user, admin } = own;
    const look = { token: user.token, path: { user_id: admin.id } };
    expect((await call('getUser', look)).status).toBe(404);
    await call('updateUser', { path: { user_id: user.id }, body: { role: 'admin' } });
    expect((await call('getUser', look)).status).toBe(200);
  });
});

test("a partner's admin and staff manage the users of its simulation organization", async () => {
  const orgId = randomUUID();
  const organization = { id: orgId, name: 'Fleet', kind: 'simulation', parentOrgId: own.orgId } as const;
  await insertOrganization(api.db, { ...organization, createdAt: api.clock.now() });
  const created = await call('createUser', {
    path: { org_id: orgId },
    body: { email: 'a@example.com', role: 'user' },
  });
  const path = { org_id: orgId, user_id: (created.body as { id: string }).id };
  for (const [token, status] of [
    [own.staff.token, 200],
    [own.user.token, 403],
    [api.foreign.admin.token, 403],
  ] as const) {
    expect((await call('getUser', { path, token })).status).toBe(status);
  }
  const elsewhere = await call('getUser', { path: { user_id: path.user_id } });
  expect(elsewhere.status).toBe(404);
});
