// Users that are asked for at once: they are read in batches, and each caller has the answer that it would have alone.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api, Person } from '../support/api.ts';
import type { Answer } from '../support/api-client.ts';

let api: Api;
let ids: string[];
beforeAll(async () => {
  api = await startApi();
  const created: string[] = [];
  for (const role of ['user', 'user', 'staff'] as const) {
    const body = { email: `${randomUUID()}@example.com`, role };
    created.push((await api.call('createUser', { body })).body.id as string);
  }
  const [deleted = ''] = created;
  expect((await api.call('deleteUser', { path: { user_id: deleted } })).status).toBe(204);
  const { admin, staff, user } = api.own;
  ids = [...created, admin.id, staff.id, user.id, api.foreign.admin.id, randomUUID()];
});
afterAll(() => api.close());

interface Question {
  readonly asker: Person;
  readonly id: string;
  readonly includesDeleted: boolean;
}

const read = ({ asker, id, includesDeleted }: Question): Promise<Answer> =>
  api.call('getUser', {
    path: { user_id: id },
    query: { include_deleted: includesDeleted },
    token: asker.token,
  });

/** Without what no two answers have in common. */
const essence = ({ status, body }: Answer): unknown => ({ status, ...body, request_id: undefined });

test('who asks with others gets what it gets alone', async () => {
  const { admin, staff, user } = api.own;
  const questions = [admin, staff, user].flatMap((asker) =>
    [true, false].flatMap((includesDeleted) =>
      ids.flatMap((id) => [
        { asker, id, includesDeleted },
        { asker, id: id.toUpperCase(), includesDeleted },
      ]),
    ),
  );
  const alone: unknown[] = [];
  for (const question of questions) alone.push(essence(await read(question)));
  const atOnce = await Promise.all(questions.map(read));
  expect(atOnce.map(essence)).toEqual(alone);
  expect(new Set(atOnce.map(({ status }) => status))).toEqual(new Set([200, 404]));
});

test('who asks behind a change sees it, whoever else asks at that time', async () => {
  const user_id = ids[1] ?? '';
  const others = Array.from({ length: 40 }, () =>
    read({ asker: api.own.admin, id: user_id, includesDeleted: false }),
  );
  for (const town of ['Linz', 'Graz', 'Wels']) {
    expect((await api.call('updateUser', { path: { user_id }, body: { town } })).status).toBe(200);
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => read({ asker: api.own.admin, id: user_id, includesDeleted: false })),
    );
    expect(new Set(seen.map(({ body }) => body['town'] as string))).toEqual(new Set([town]));
  }
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
});
