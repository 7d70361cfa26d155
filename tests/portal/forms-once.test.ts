// A form that creates something makes one, however often it is sent: by a double click, a resent page, or the way back.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { IdempotentAnswers } from '../../src/operations/idempotency.ts';
import { toReply } from '../../src/operations/stored-answers.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';
import { elementText, formOf } from './visitor.ts';
import type { Fields, Visitor } from './visitor.ts';

interface Form {
  readonly path: string;
  readonly fields: Fields;
  /** Other values of the same form. */
  readonly changed: Fields;
  readonly table: 'webhooks' | 'users' | 'notification_items' | 'fleets' | 'applications';
  /** The status of the answer that made it, and of those to repeats. */
  readonly statuses: readonly [number, number];
}

interface RefusableForm extends Form {
  /** Values that are refused: by the document, and by the operation. */
  readonly wrong: readonly [Fields, Fields];
  /** What the log says of what it made. */
  readonly logged: string;
}

const FORMS: readonly RefusableForm[] = [
  {
    path: '/portal/webhooks/create/',
    fields: { url: 'https://hooks.sun-and-sons.example/devices' },
    changed: { url: 'https://other.sun-and-sons.example/' },
    wrong: [{ url: 'hooks' }, { url: 'https://127.0.0.1/devices' }],
    logged: 'Webhook created.',
    table: 'webhooks',
    statuses: [200, 303],
  },
  {
    path: '/portal/users/create/',
    fields: { email: 'anna@example.com' },
    changed: { email: 'berta@example.com' },
    wrong: [{ email: 'anna' }, { country: 'XX' }],
    logged: 'User created.',
    table: 'users',
    statuses: [303, 303],
  },
  {
    path: '/portal/notifications/broadcast/',
    fields: { message: 'Tonight.' },
    changed: { message: 'Tomorrow.' },
    wrong: [{ message: '' }, { owner_id: '01980000-0000-7000-8000-000000000000' }],
    logged: 'Notice written.',
    table: 'notification_items',
    statuses: [303, 303],
  },
];

/** Forms with a key of their own, under which the same object is stored. */
const KEYED_FORMS: readonly Form[] = [
  {
    path: '/portal/fleets/create/',
    fields: { do: 'create', name: 'Vienna', count: '2' },
    changed: {},
    table: 'fleets',
    statuses: [303, 303],
  },
  {
    path: '/oauth2/applications/register/',
    fields: { name: 'Meter reader' },
    changed: {},
    table: 'applications',
    statuses: [200, 303],
  },
];

let site: PortalSite;
beforeAll(async () => {
  site = await startPortal();
});
afterAll(() => site.close());

async function open({ path, fields, table }: Form) {
  const orgId = await site.addOrganization();
  const browser: Visitor = await site.signedIn(await site.addPerson(orgId, 'admin'));
  const form = { ...formOf((await browser.get(path)).text, path), ...fields };
  const count = async (): Promise<number> => {
    const rows = await site.db.selectFrom(table).select('org_id').where('org_id', '=', orgId).execute();
    return rows.length;
  };
  return { orgId, browser, form, count, before: await count() };
}

test.each([...FORMS, ...KEYED_FORMS])('$path makes one of a form that is sent twice', async (kind) => {
  const { browser, form, count, before } = await open(kind);
  const first = await browser.post(kind.path, form);
  const second = await browser.post(kind.path, form);
  expect([first.status, second.status]).toEqual(kind.statuses);
  expect(await count()).toBe(before + 1);
});

test.each([...FORMS, ...KEYED_FORMS])(
  '$path makes one of a form that is sent three times at once',
  async (kind) => {
    const { browser, form, count, before } = await open(kind);
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(kind.path, form)));
    const [made, repeated] = kind.statuses;
    expect(answers.map(({ status }) => status).toSorted()).toEqual([made, repeated, repeated]);
    expect(await count()).toBe(before + 1);
  },
);

test.each(FORMS)('$path asks once more about a form that comes again with other values', async (kind) => {
  const { browser, form, count, before } = await open(kind);
  await browser.post(kind.path, form);
  const asked = await browser.post(kind.path, { ...form, ...kind.changed });
  expect([
    asked.status,
    asked.text.includes('This form was sent before, and what it asked for was done'),
  ]).toEqual([422, true]);
  expect(await count()).toBe(before + 1);
  const answer = await browser.post(kind.path, { ...formOf(asked.text, kind.path), ...kind.changed });
  expect(answer.status).toBe(kind.statuses[0]);
  expect(await count()).toBe(before + 2);
});

/** Sends the form with values that are refused, and resolves to the right one as it is shown then. */
async function sendWrong({ path, fields }: Form, browser: Visitor, form: Fields, wrong: Fields) {
  const refused = await browser.post(path, { ...form, ...wrong });
  expect([refused.status, refused.text.includes('was sent before')]).toEqual([422, false]);
  const wrongNames = Object.keys(wrong).map((name) => [name, '']);
  return { ...formOf(refused.text, path), ...Object.fromEntries(wrongNames), ...fields };
}

test.each(FORMS)(
  '$path makes one where its answer is lost and it is sent wrong before it is sent again',
  async (kind) => {
    const { browser, form, count, before } = await open(kind);
    await browser.post(kind.path, form);
    const mended = await sendWrong(kind, browser, form, kind.wrong[0]);
    expect((await browser.post(kind.path, mended)).status).toBe(kind.statuses[1]);
    expect(await count()).toBe(before + 1);
  },
);

test.each(FORMS)(
  '$path tells who changes a form that was done into one that can never be that it was, and does nothing',
  async (kind) => {
    const { browser, form, count, before } = await open(kind);
    await browser.post(kind.path, form);
    const asked = await browser.post(kind.path, { ...form, ...kind.wrong[1] });
    expect([asked.status, asked.text.includes('what it asked for was done')]).toEqual([422, true]);
    const shown = { ...formOf(asked.text, kind.path), ...kind.wrong[1] };
    const refused = await browser.post(kind.path, shown);
    expect([refused.status, refused.text.includes('what it asked for was done')]).toEqual([422, false]);
    expect(await count()).toBe(before + 1);
  },
);

test.each(FORMS)('$path is logged once for what it made', async (kind) => {
  const { orgId, browser, form } = await open(kind);
  for (let sent = 0; sent < 2; sent++) await browser.post(kind.path, form);
  const lines = site.logged.filter((line) => line.includes(kind.logged) && line.includes(orgId));
  expect(lines).toHaveLength(1);
});

test.each(FORMS)('$path uses no key of the quota for what is refused', async (kind) => {
  const { orgId, browser, form, count, before } = await open(kind);
  const quota = { org_id: orgId, name: 'idempotency_keys', quota: 1 } as const;
  await site.db.insertInto('partner_quotas').values(quota).execute();
  for (let tries = 0; tries < 3; tries++) await sendWrong(kind, browser, form, kind.wrong[1]);
  expect((await browser.post(kind.path, form)).status).toBe(kind.statuses[0]);
  expect(await count()).toBe(before + 1);
});

test.each(FORMS)('$path makes one of a form that was refused twice and mended', async (kind) => {
  const { browser, form, count, before } = await open(kind);
  const [byDocument, byOperation] = kind.wrong;
  const stillWrong = await sendWrong(kind, browser, form, byDocument);
  const mended = await sendWrong(kind, browser, stillWrong, byOperation);
  expect((await browser.post(kind.path, mended)).status).toBe(kind.statuses[0]);
  expect(await count()).toBe(before + 1);
});

test.each(FORMS)('$path has a key of its own each time that it is shown', async ({ path }) => {
  const browser = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const keys = await Promise.all(
    [1, 2].map(async () => formOf((await browser.get(path)).text, path)['idempotency_key']),
  );
  expect(new Set(keys).size).toBe(2);
});

test('a form for a webhook that is sent again leads to the webhook, without its secret', async () => {
  const [kind] = FORMS;
  if (kind === undefined) throw new Error('There is a form for webhooks.');
  const { browser, form } = await open(kind);
  const first = await browser.post(kind.path, form);
  const id = elementText(first.text, 'webhook_id') ?? '';
  const second = await browser.post(kind.path, form);
  expect(second.headers['location']).toBe(`/portal/webhooks/${id}/?notice=secret_unchanged`);
  expect(elementText(first.text, 'webhook_secret')).toMatch(/^whsec_/);
  expect(second.text).not.toContain('whsec_');
});

test('nothing is shown of a webhook whose transaction was undone and found its twin when it was repeated', async () => {
  const [kind] = FORMS;
  if (kind === undefined) throw new Error('There is a form for webhooks.');
  const { browser, form } = await open(kind);
  const twin = '01980000-0000-7000-8000-000000000000';
  const answer = vi
    .spyOn(IdempotentAnswers.prototype, 'answer')
    .mockImplementationOnce(async (context, _asked, run) => {
      await run(context);
      return toReply({ reply: { status: 201, body: { id: twin } } }, true);
    });
  const { headers, text } = await browser.post(kind.path, form);
  answer.mockRestore();
  expect(headers['location']).toBe(`/portal/webhooks/${twin}/?notice=secret_unchanged`);
  expect(text).not.toContain('whsec_');
});
