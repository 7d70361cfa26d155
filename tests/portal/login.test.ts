import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formOf } from './visitor.ts';
import { createSession } from '../../src/accounts/sessions.ts';
import { resumePartner, suspendPartner } from '../../src/accounts/suspension.ts';
import { giveUsername } from '../support/usernames.ts';
import { initialPassword, ownPassword, startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';

let site: PortalSite;
beforeAll(async () => {
  site = await startPortal({ quota: 3, addressQuota: 3 });
});
afterAll(() => site.close());

const minuteMs = 60_000;
const loginPath = '/accounts/login/';

test('an unknown account, a user without a password and a wrong password get one and the same answer', async () => {
  const open = await startPortal();
  try {
    const orgId = await open.addOrganization();
    const known = await open.addPerson(orgId, 'admin');
    const { userId, username } = await open.addPerson(orgId, 'user');
    await open.db.updateTable('users').set({ password_hash: null }).where('id', '=', userId).execute();
    const answers = [];
    for (const name of [known.username, username, 'nobody@example.com']) {
      const visitor = open.visitor();
      const form = formOf((await visitor.get('/accounts/login/')).text, '/accounts/login/');
      const startedAt = performance.now();
      const answer = await visitor.post('/accounts/login/', {
        ...form,
        username: name,
        password: 'wrong password',
      });
      answers.push({
        status: answer.status,
        text: answer.text.replaceAll(name, 'NAME').replaceAll(form['csrf_token'] ?? '', 'TOKEN'),
        elapsedMs: performance.now() - startedAt,
      });
    }
    const [first, ...others] = answers;
    expect(first?.status).toBe(422);
    for (const other of others) {
      expect([other.status, other.text]).toEqual([first?.status, first?.text]);
      // One hash each: skipping it would take a hundredth of the time.
      expect(other.elapsedMs).toBeGreaterThan((first?.elapsedMs ?? Infinity) / 4);
    }
  } finally {
    await open.close();
  }
});

test('an initial password opens nothing after 72 hours, and only who knows it is told so', async () => {
  const open = await startPortal();
  try {
    const person = await open.addPerson(await open.addOrganization(), 'admin', false);
    open.advance(71 * 60 * minuteMs);
    const browser = open.visitor();
    expect((await browser.login(person.username, initialPassword)).headers['location']).toBe(
      '/accounts/password_change/',
    );
    open.advance(60 * minuteMs);
    const late = await open.visitor().login(person.username, initialPassword);
    expect([late.status, late.headers['set-cookie']]).toEqual([422, expect.not.stringContaining('session=')]);
    expect(late.text).toContain('The initial password has expired: it is valid for 72 hours.');
    expect((await open.visitor().login(person.username, 'a wrong one')).text).not.toContain('expired');
    const change = { old_password: initialPassword, new_password1: ownPassword, new_password2: ownPassword };
    const changed = await browser.submit('/accounts/password_change/', change);
    expect([changed.status, changed.text.includes('has expired')]).toEqual([422, true]);
  } finally {
    await open.close();
  }
});

test('people of a suspended partner are told so when they sign in, and their sessions rest', async () => {
  const open = await startPortal();
  try {
    const person = await open.addPerson(await open.addOrganization(), 'admin');
    const browser = await open.signedIn(person);
    await suspendPartner(open.db, person.orgId, new Date());
    expect((await browser.get('/oauth2/applications/')).headers['location']).toMatch(/^\/accounts\/login/);
    const refused = await open.visitor().login(person.username, ownPassword);
    expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined]);
    expect(refused.text).toContain('Organization suspended');
    expect((await open.visitor().login(person.username, 'a wrong one')).text).not.toContain('suspended');
    await resumePartner(open.db, person.orgId);
    expect((await browser.get('/oauth2/applications/')).status).toBe(200);
  } finally {
    await open.close();
  }
});

test('tries beyond the quota of the address are refused, also with the right password, until the minute is over', async () => {
  const person = await site.addPerson(await site.addOrganization(), 'admin');
  site.advance(minuteMs);
  for (const name of ['a@example.com', 'b@example.com', 'c@example.com'])
    expect((await site.visitor().login(name, 'wrong')).status).toBe(422);
  const refused = await site.visitor().login(person.username, ownPassword);
  expect([refused.status, refused.type, refused.headers['set-cookie']]).toEqual([
    429,
    'text/html',
    undefined,
  ]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  site.advance(minuteMs);
  expect((await site.visitor().login(person.username, ownPassword)).status).toBe(303);
});

test('the quota of an account counts whatever the letter case, and stands for guesses of the old password too', async () => {
  const person = await site.addPerson(await site.addOrganization(), 'admin');
  site.advance(minuteMs);
  const browser = await site.signedIn(person);
  await site.visitor().login(person.username, 'wrong');
  await site.visitor().login(person.username.toUpperCase(), 'wrong');
  const subjects = await site.db.selectFrom('rate_limits').select(['subject', 'used']).execute();
  const counts = subjects.filter(({ used }) => used === 2).map(({ subject }) => subject.split(' ')[0]);
  expect(counts.toSorted()).toEqual(['account', 'account', 'address']);
  const guess = () =>
    browser.submit('/accounts/password_change/', {
      old_password: 'wrong',
      new_password1: 'another long password',
      new_password2: 'another long password',
    });
  expect((await guess()).status).toBe(422);
  expect((await guess()).status).toBe(429);
});

describe('of tries only failures count', () => {
  const quotas = { quota: 2, addressQuota: 4, accountQuota: 2 };

  test('sign-ins and changes of a password from one address pass, more than any quota', async () => {
    const open = await startPortal(quotas);
    try {
      const person = await open.addPerson(await open.addOrganization(), 'admin');
      const answers = [];
      for (let index = 0; index < 5; index += 1)
        answers.push((await open.visitor().login(person.username, ownPassword)).status);
      expect(answers).toEqual(Array.from({ length: 5 }, () => 303));
      const browser = await open.signedIn(person);
      const passwords = [
        ownPassword,
        ...Array.from({ length: 3 }, (_, index) => `a new long password ${index}`),
      ];
      for (const [index, next] of passwords.slice(1).entries()) {
        const change = { old_password: passwords[index] ?? '', new_password1: next, new_password2: next };
        expect((await browser.submit('/accounts/password_change/', change)).status).toBe(303);
      }
    } finally {
      await open.close();
    }
  });

  test('failures block the account at this address, and not the next account', async () => {
    // The tries from all places do not end here.
    const open = await startPortal({ ...quotas, accountQuota: 100 });
    try {
      const [person, next] = [await open.addOrganization(), await open.addOrganization()];
      const [blocked, free] = [await open.addPerson(person, 'admin'), await open.addPerson(next, 'admin')];
      for (let index = 0; index < quotas.quota; index += 1)
        expect((await open.visitor().login(blocked.username, 'wrong')).status).toBe(422);
      expect((await open.visitor().login(blocked.username, ownPassword)).status).toBe(429);
      expect((await open.visitor().login(free.username, ownPassword)).status).toBe(303);
    } finally {
      await open.close();
    }
  });

  test('of a flood at once no more passwords are looked at than the quota allows', async () => {
    const open = await startPortal({ quota: 3 });
    try {
      const person = await open.addPerson(await open.addOrganization(), 'admin');
      const visitors = Array.from({ length: 8 }, () => open.visitor());
      const forms = await Promise.all(
        visitors.map(async (each) => formOf((await each.get(loginPath)).text, loginPath)),
      );
      const fields = { username: person.username, password: 'wrong' };
      const answers = await Promise.all(
        visitors.map((each, index) => each.post(loginPath, { ...forms[index], ...fields })),
      );
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(3);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
      expect(open.verified).toHaveLength(3);
    } finally {
      await open.close();
    }
  });
});

test.each([
  ['letter case', 'ADMIN', true],
  ['a dotted capital I', 'adm\u0130n', true],
  ['a capital with an accent', '\u00c4rger', true],
  ['full-width letters', '\uff41dmin', false],
  ['a sharp s', 'stra\u00dfe', false],
])('a try under another spelling (%s) counts for the account that it opens', async (_, spelling, isSame) => {
  const open = await startPortal({ quota: 4 });
  try {
    const person = await open.addPerson(await open.addOrganization(), 'admin');
    const names: Record<string, string> = { '\u00c4rger': '\u00e4rger', 'stra\u00dfe': 'strasse' };
    const username = names[spelling] ?? 'admin';
    await giveUsername(open.db, person, username);
    // Whether it opens the account is the database's answer; the count must say the same.
    expect((await open.visitor().login(spelling, ownPassword)).status).toBe(isSame ? 303 : 422);
    open.advance(60 * minuteMs);
    await open.visitor().login(spelling, 'wrong');
    await open.visitor().login(username, 'wrong');
    const rows = await open.db
      .selectFrom('rate_limits')
      .select('used')
      .where('policy', '=', 'login_account')
      .execute();
    expect(rows.map(({ used }) => used)).toEqual(isSame ? [2] : [1, 1]);
  } finally {
    await open.close();
  }
});

test('who only knows a name locks nobody out of a browser that has signed in before', async () => {
  const open = await startPortal({ accountQuota: 2 });
  try {
    const person = await open.addPerson(await open.addOrganization(), 'admin');
    const known = await open.signedIn(person);
    const page = await known.get('/accounts/logout/');
    await known.post('/accounts/logout/', formOf(page.text, '/accounts/logout/'));
    for (const status of [422, 422])
      expect((await open.visitor().login(person.username, 'wrong')).status).toBe(status);
    // All tries of browsers that nobody knows are used up, for the right password too.
    expect((await open.visitor().login(person.username, ownPassword)).status).toBe(429);
    expect((await known.login(person.username, ownPassword)).status).toBe(303);
    expect(open.knownBrowsers).toEqual([false, false, false, true]);
    // The cookie of one account says nothing of another.
    const other = await open.addPerson(person.orgId, 'admin');
    for (const status of [422, 422, 429])
      expect((await open.visitor().login(other.username, 'wrong')).status).toBe(status);
    const fresh = await open.signedIn(await open.addPerson(person.orgId, 'admin'));
    const out = await fresh.get('/accounts/logout/');
    await fresh.post('/accounts/logout/', formOf(out.text, '/accounts/logout/'));
    expect((await fresh.login(other.username, ownPassword)).status).toBe(429);
  } finally {
    await open.close();
  }
});

test('a session frees tries at its own account from the quota of all browsers, under any spelling, and at no other', async () => {
  const open = await startPortal({ accountQuota: 2 });
  try {
    const orgId = await open.addOrganization();
    const [person, victim] = [await open.addPerson(orgId, 'admin'), await open.addPerson(orgId, 'admin')];
    // Without the cookie of a known browser, so that the session alone speaks.
    const session = await createSession(open.db, person, new Date());
    const csrf = 'x'.repeat(43);
    const guess = async (username: string) => {
      const answer = await fetch(open.baseUrl + loginPath, {
        method: 'POST',
        headers: { cookie: `partner_session=${session}; partner_login=${csrf}` },
        body: new URLSearchParams({ csrf_token: csrf, username, password: 'wrong' }),
      });
      return answer.status;
    };
    const tries = async (username: string) => [
      await guess(username),
      await guess(username),
      await guess(username),
    ];
    expect(await tries(victim.username)).toEqual([422, 422, 429]);
    expect(await tries(person.username.toUpperCase())).toEqual([422, 422, 422]);
    expect(open.knownBrowsers).toEqual([false, false, true, true, true]);
  } finally {
    await open.close();
  }
});

test('requests of people who are signed in count for their partner, together', async () => {
  const open = await startPortal({ partnerQuota: 3 });
  try {
    const orgId = await open.addOrganization();
    const [first, second] = [
      await open.signedIn(await open.addPerson(orgId, 'admin')),
      await open.signedIn(await open.addPerson(orgId, 'staff')),
    ];
    const other = await open.signedIn(await open.addPerson(await open.addOrganization(), 'admin'));
    const page = '/oauth2/applications/';
    for (const browser of [first, second, first]) expect((await browser.get(page)).status).toBe(200);
    const refused = await second.get(page);
    expect([refused.status, refused.type]).toEqual([429, 'text/html']);
    expect(refused.headers['ratelimit']).toMatch(/^"partner";r=0;t=\d+$/);
    expect(refused.text).toContain('Too many requests');
    expect(refused.text).toContain(`Try again in ${refused.headers['retry-after']} seconds.`);
    expect((await other.get(page)).status).toBe(200);
    open.advance(minuteMs);
    expect((await second.get(page)).status).toBe(200);
  } finally {
    await open.close();
  }
});
