import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/api/durations.ts';
import { authenticateClient } from '../../src/oauth/client-credentials.ts';
import { findApplicationByClientId } from '../../src/accounts/applications.ts';
import { elementText, formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';

let site: PortalSite;
beforeAll(async () => {
  site = await startPortal();
});
afterAll(() => site.close());

interface Registered {
  readonly browser: Visitor;
  readonly clientId: string;
  readonly secret: string;
  readonly page: string;
}

async function register(fields: Readonly<Record<string, string>> = {}): Promise<Registered> {
  const browser = await site.signedIn(await site.addPerson(await site.addOrganization(), 'admin'));
  const path = '/oauth2/applications/register/';
  const answer = await browser.submit(path, { name: 'Meter reader', ...fields });
  const clientId = elementText(answer.text, 'client_id') ?? '';
  const id = (await findApplicationByClientId(site.db, clientId))?.id ?? '';
  const secret = elementText(answer.text, 'client_secret') ?? '';
  return { browser, clientId, secret, page: `/oauth2/applications/${id}/` };
}

const worksAt = async (clientId: string, clientSecret: string, at: Date): Promise<boolean> =>
  (await authenticateClient(site.db, { clientId, clientSecret }, at)) !== undefined;

/** The cells of the table of secrets, row by row. */
const secretsOn = (html: string): readonly (readonly string[])[] =>
  (/aria-label="Secrets"(.*?)<\/table>/s.exec(html)?.[1] ?? '')
    .split('<tr role="row">')
    .slice(2)
    .map((row) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
        cell.replaceAll(/<[^>]*>/g, '').trim(),
      ),
    );

test.each([
  ['0', 0],
  ['1', 1],
  ['7', 7],
  ['30', 30],
])('a new secret is shown once, and the older one works for %s days beside it', async (choice, days) => {
  const { browser, clientId, secret: older, page } = await register();
  const form = {
    ...formOf((await browser.get(`${page}secret/`)).text, `${page}secret/`),
    older_ends: choice,
  };
  const made = await browser.post(`${page}secret/`, form);
  const newer = elementText(made.text, 'client_secret') ?? '';
  expect([made.status, made.headers['cache-control'], newer]).toEqual([
    200,
    'no-store',
    expect.stringMatching(/^[A-Za-z0-9]{128}$/),
  ]);
  const again = await browser.post(`${page}secret/`, form);
  expect(again.headers['location']).toBe(`${page}?notice=secret_stale`);

  const application = await findApplicationByClientId(site.db, clientId);
  const endsAt = application?.olderSecret?.endsAt ?? new Date(0);
  expect(endsAt.getTime() - (application?.secret.createdAt?.getTime() ?? 0)).toBe(days * DAY_MS);
  expect(await worksAt(clientId, older, new Date(endsAt.getTime() - 1))).toBe(true);
  expect(await worksAt(clientId, older, endsAt)).toBe(false);
  expect(await worksAt(clientId, newer, new Date(endsAt.getTime() + DAY_MS))).toBe(true);
  expect((await browser.get(page)).text).not.toContain(newer);
});

test('an application has two secrets at most, and the older one is ended by hand', async () => {
  const { browser, clientId, secret: first, page } = await register();
  const made = await browser.submit(`${page}secret/`, { older_ends: '7' });
  const second = elementText(made.text, 'client_secret') ?? '';
  const shown = await browser.get(`${page}secret/`);
  expect(shown.text).toContain('Two secrets work already.');
  expect(shown.text).not.toContain(`action="${page}secret/"`);

  const application = await findApplicationByClientId(site.db, clientId);
  const version = String(application?.updatedAt.getTime());
  const csrf = formOf((await browser.get('/accounts/logout/')).text, '/accounts/logout/')['csrf_token'] ?? '';
  const third = await browser.post(`${page}secret/`, { csrf_token: csrf, version, older_ends: '7' });
  expect([third.status, elementText(third.text, 'client_secret')]).toEqual([422, undefined]);

  const asked = (await browser.get(`${page}secret/end/`)).text;
  expect(asked).toContain('Once ended, it is refused at once');
  expect(asked).toContain('The newer secret was never used so far');
  await site.db
    .updateTable('applications')
    .set({ secret_last_used_at: new Date() })
    .where('client_id', '=', clientId)
    .execute();
  const end = formOf((await browser.get(`${page}secret/end/`)).text, `${page}secret/end/`);
  expect((await browser.get(`${page}secret/end/`)).text).toContain('The newer one was last used at 20');
  const stale = await browser.post(`${page}secret/end/`, { ...end, version: '0' });
  expect(stale.headers['location']).toBe(`${page}?notice=application_stale`);
  expect(await worksAt(clientId, first, new Date())).toBe(true);
  const ended = await browser.post(`${page}secret/end/`, end);
  expect(ended.headers['location']).toBe(`${page}?notice=secret_ended`);
  // Its clients follow at once.
  expect(site.forgotten).toContain(page.split('/').at(-2));
  const works = await Promise.all([first, second].map((secret) => worksAt(clientId, secret, new Date())));
  expect(works).toEqual([false, true]);
  expect(secretsOn((await browser.get(page)).text).map(([name]) => name)).toEqual(['Present']);
  const gone = await browser.get(`${page}secret/end/`);
  expect(gone.headers['location']).toBe(`${page}?notice=secret_ended`);
});

test('of two forms that are sent at once one makes a secret', async () => {
  const { browser, page } = await register();
  const form = formOf((await browser.get(`${page}secret/`)).text, `${page}secret/`);
  const answers = await Promise.all([1, 2, 3].map(() => browser.post(`${page}secret/`, form)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 303, 303]);
});

test('an end that is none of the choices is refused', async () => {
  const { browser, page } = await register();
  for (const olderEnds of ['-1', '365', 'toString', '1e3']) {
    const answer = await browser.submit(`${page}secret/`, { older_ends: olderEnds });
    expect([olderEnds, answer.status, answer.text.includes('Choose one of these.')]).toEqual([
      olderEnds,
      422,
      true,
    ]);
  }
});

test('the page tells each secret: when it was made, last used, and ends', async () => {
  const { browser, page, clientId } = await register();
  expect(secretsOn((await browser.get(page)).text)).toEqual([
    ['Present', 'Works', expect.stringMatching(/^20/), 'Not yet', 'Not before it is replaced'],
  ]);
  await browser.submit(`${page}secret/`, { older_ends: '1' });
  await site.db
    .updateTable('applications')
    .set({ older_secret_last_used_at: new Date() })
    .where('client_id', '=', clientId)
    .execute();
  const both = secretsOn((await browser.get(page)).text);
  expect(both[1]).toEqual([
    'Older',
    'Works until it ends',
    expect.stringMatching(/^20/),
    'just now',
    expect.stringMatching(/^20/),
  ]);
});

test('an application may be registered to only read, and changed', async () => {
  const { browser, page, clientId } = await register({ scope: 'read' });
  const scopeOf = async () => (await findApplicationByClientId(site.db, clientId))?.scope;
  expect(await scopeOf()).toBe('read');
  expect((await browser.get(page)).text).toContain('<dd>Only read</dd>');
  expect((await browser.get('/oauth2/applications/')).text).toContain('Only read');
  expect(formOf((await browser.get(`${page}update/`)).text, `${page}update/`)['scope']).toBe('read');
  const odd = await browser.submit(`${page}update/`, { scope: 'write' });
  expect([odd.status, odd.text.includes('Choose one of the two.')]).toEqual([422, true]);
  await browser.submit(`${page}update/`, { scope: 'read write' });
  expect(await scopeOf()).toBe('read write');
  // Tokens that were issued before follow at once.
  expect(site.forgotten).toContain(page.split('/').at(-2));
});
