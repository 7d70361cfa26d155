// A form that changes something carries the version that it began with, whatever happens to it on its way.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeviceType } from '../../src/domain/fleets/devices.ts';
import { addHome, SEGMENTS } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { elementText, formOf } from './visitor.ts';
import type { Fields, Visitor } from './visitor.ts';

let site: PortalSite;
let orgId: string;
let browser: Visitor;
let inverter: string;
beforeAll(async () => {
  site = await startPortal();
  orgId = await site.addOrganization();
  const admin: Person = await site.addPerson(orgId, 'admin');
  browser = await site.signedIn(admin);
  const { fleet, userId, devices } = await addHome(site, admin);
  const type: DeviceType = 'inverter';
  const scope = `?org=${fleet.simulationOrgId}`;
  const path = `/portal/homes/${userId}/${SEGMENTS[type]}/${devices.get(type) ?? ''}/`;
  inverter = `${path}${scope}`;
});
afterAll(() => site.close());

/** Where a form stands and where it is sent. */
interface Form {
  readonly page: string;
  readonly action: string;
}

const same = (page: string): Form => ({ page, action: page });

interface ChangeForm {
  readonly name: string;
  readonly open: () => Promise<Form>;
  /** What somebody else changes. */
  readonly theirs: Fields;
  readonly mended: Fields;
  readonly logged?: string;
}

const FORMS: readonly (ChangeForm & { readonly faulty: Fields })[] = [
  {
    name: 'user',
    open: async () => same(`/portal/users/${(await site.addPerson(orgId, 'user')).userId}/update/`),
    theirs: { town: 'Linz' },
    faulty: { first_name: 'Anna', latitude: 'north', longitude: '14' },
    mended: { first_name: 'Anna', latitude: '48.3', longitude: '14.00' },
    logged: 'User changed.',
  },
  {
    name: 'application',
    open: async () => {
      const made = await browser.submit('/oauth2/applications/register/', { name: 'Meter reader' });
      const { id } = await site.db
        .selectFrom('applications')
        .select('id')
        .where('client_id', '=', elementText(made.text, 'client_id') ?? '')
        .executeTakeFirstOrThrow();
      return same(`/oauth2/applications/${id}/update/`);
    },
    theirs: { scope: 'read' },
    faulty: { name: '' },
    mended: { name: 'Billing' },
    logged: 'Application updated.',
  },
  {
    name: 'device',
    open: () => Promise.resolve({ page: inverter, action: inverter.replace('?', 'preferences/?') }),
    theirs: { reserve_percent: '25' },
    faulty: { reserve_percent: '12,5' },
    mended: { reserve_percent: '30' },
  },
];

/** The path of its page. */
async function addWebhook(): Promise<string> {
  const url = 'https://hooks.sun-and-sons.example/devices';
  const made = await browser.submit('/portal/webhooks/create/', { url });
  return `/portal/webhooks/${elementText(made.text, 'webhook_id') ?? ''}/`;
}

const read = async ({ page, action }: Form): Promise<Fields> =>
  formOf((await browser.get(page)).text, action);

test.each(FORMS)(
  'what somebody else has changed is told too by a form ($name) that was refused before',
  async (kind) => {
    const form = await kind.open();
    const begun = await read(form);
    const changed = await browser.post(form.action, { ...begun, ...kind.theirs });
    expect(changed.status).toBe(303);
    const refused = await browser.post(form.action, { ...begun, ...kind.faulty });
    expect(refused.status).toBe(422);
    const stale = await browser.post(form.action, { ...formOf(refused.text, form.action), ...kind.mended });
    expect([stale.status, stale.text.includes('Stored now')]).toEqual([412, true]);
    const stored = await read(form);
    expect(stored).toMatchObject(kind.theirs);
    const saved = await browser.post(form.action, formOf(stale.text, form.action));
    expect(saved.status).toBe(303);
  },
);

/** No value of its form can be refused. */
const WEBHOOK: ChangeForm = {
  name: 'webhook',
  open: async () => same(`${await addWebhook()}update/`),
  theirs: { 'topic:device.information': 'no' },
  mended: { 'topic:device.information': 'yes', enabled: 'false' },
  logged: 'Webhook changed.',
};

test.each([...FORMS, WEBHOOK])(
  'a form ($name) that is sent twice is done once, and blames nobody',
  async (kind) => {
    const form = await kind.open();
    expect((await browser.post(form.action, { ...(await read(form)), ...kind.theirs })).status).toBe(303);
    const filled: Fields = { ...(await read(form)), ...kind.mended };
    const first = await browser.post(form.action, filled);
    expect((await read(form))['version']).not.toBe(filled['version']);
    const logged = site.logged.length;
    const second = await browser.post(form.action, filled);
    expect([first.status, second.status, second.headers['location']]).toEqual([
      303,
      303,
      first.headers['location'],
    ]);
    const told = site.logged.slice(logged).filter((line) => line.includes(kind.logged ?? ' changed.'));
    expect(told).toEqual([]);
  },
);

test('a boost that begins meanwhile does not make the preferences stale', async () => {
  const form = { page: inverter, action: inverter.replace('?', 'preferences/?') };
  const begun = await read(form);
  const boost = inverter.replace('?', 'boost/?');
  expect((await browser.submit(inverter, { hours: '4' }, boost)).status).toBe(303);
  expect((await browser.post(form.action, { ...begun, reserve_percent: '41' })).status).toBe(303);
  const page = await browser.get(inverter);
  expect(formOf(page.text, form.action)).toMatchObject({ reserve_percent: '41' });
  expect(page.text).toContain('End the boost');
});

describe('a page that makes a secret', () => {
  const webhook = async (): Promise<{ readonly page: string; readonly change: string }> => {
    const path = await addWebhook();
    return { page: `${path}secret/`, change: `${path}update/` };
  };
  const password = async (): Promise<{ readonly page: string; readonly change: string }> => {
    const path = `/portal/users/${(await site.addPerson(orgId, 'user')).userId}/`;
    return { page: `${path}initial-password/`, change: `${path}update/` };
  };
  const kinds = [
    { name: 'of a webhook', open: webhook, fields: { enabled: 'false' }, notice: 'secret_stale' },
    { name: 'for a user', open: password, fields: { town: 'Linz' }, notice: 'password_stale' },
  ] as const;

  test.each(kinds)('makes one ($name) of forms that are sent at once', async ({ open, notice }) => {
    const { page } = await open();
    const form = formOf((await browser.get(page)).text, page);
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(page, form)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 303, 303]);
    const locations = answers
      .filter(({ status }) => status === 303)
      .map(({ headers }) => headers['location']);
    expect(locations.map((location) => String(location).split('notice=')[1])).toEqual([notice, notice]);
  });

  test.each(kinds)(
    'makes none ($name) where something else was changed meanwhile, and says so',
    async (kind) => {
      const { page, change } = await kind.open();
      const form = formOf((await browser.get(page)).text, page);
      expect((await browser.submit(change, kind.fields)).status).toBe(303);
      const answer = await browser.post(page, form);
      expect([answer.status, String(answer.headers['location']).split('notice=')[1]]).toEqual([
        303,
        kind.notice,
      ]);
      const { text } = await browser.get(String(answer.headers['location']));
      expect(text).toMatch(
        /Nothing was done: (?:it|the user) was changed meanwhile, or the form had been sent before/,
      );
    },
  );
});
