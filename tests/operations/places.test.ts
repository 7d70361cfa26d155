import { expect, test } from 'vitest';
import { changeQuotas } from '../../src/accounts/quotas.ts';
import { NEXT, NOW, preferencesFixture } from './preferences-fixture.ts';
import { refusal } from './refusal.ts';

const fixture = preferencesFixture();

const move = (latitude: number | null, longitude: number | null, more: object = {}) =>
  fixture.api.call('updateUser', {
    path: { user_id: fixture.owner.id },
    body: { latitude, longitude, ...more },
    token: fixture.owner.token,
    headers: { 'x-request-id': 'request-of-the-owner' },
  });

const places = () =>
  fixture.api.db
    .selectFrom('user_places')
    .selectAll()
    .where('user_id', '=', fixture.owner.id)
    .orderBy('effective_from')
    .execute();

const place = (
  effectiveFrom: string,
  latitude: number | null,
  longitude: number | null,
  receivedAt: string,
) => ({
  org_id: fixture.owner.orgId,
  user_id: fixture.owner.id,
  effective_from: new Date(effectiveFrom),
  latitude,
  longitude,
  received_at: new Date(receivedAt),
  actor_org_id: fixture.owner.orgId,
  actor_user_id: fixture.owner.id,
  actor_role: 'user',
  request_id: 'request-of-the-owner',
});

test('where a user with devices lives is kept from the next quarter hour on, and where it lived before', async () => {
  await fixture.deviceOf('heat_pump');
  await move(48.3, 14.3);
  const first = place(NEXT, 48.3, 14.3, NOW);
  expect(await places()).toEqual([first]);
  // What changes nothing, or something else, is no new place.
  await move(48.3, 14.3, { town: 'Linz' });
  expect(await places()).toEqual([first]);

  fixture.api.clock.set('2026-06-15T12:20:00.000Z');
  await move(47.1, 15.4);
  await move(null, null);
  expect(await places()).toEqual([
    first,
    place('2026-06-15T12:30:00.000Z', null, null, '2026-06-15T12:20:00.000Z'),
  ]);
});

test('the place that was known before the first change is kept where no fleet knows it', async () => {
  await move(48.3, 14.3);
  expect(await places()).toEqual([]);
  await fixture.deviceOf('heat_pump');
  fixture.api.clock.advance(60_000);
  await move(47.1, 15.4);
  const before = {
    ...place('1970-01-01T00:00:00.000Z', 48.3, 14.3, NOW),
    actor_org_id: null,
    actor_user_id: null,
    actor_role: null,
    request_id: null,
  };
  expect(await places()).toEqual([before, place(NEXT, 47.1, 15.4, '2026-06-15T12:03:00.000Z')]);
});

test('places are as many as the quota says; other fields can still be changed', async () => {
  await fixture.deviceOf('heat_pump');
  await changeQuotas(fixture.api.db, fixture.api.own.orgId, new Map([['control_revisions', 2]]));
  try {
    for (const latitude of [1, 2]) {
      expect((await move(latitude, 1)).status).toBe(200);
      fixture.api.clock.advance(15 * 60_000);
    }
    const refused = await move(3, 1);
    expect(refusal(refused)).toEqual([422, 'quota_reached']);
    expect(refused.body.detail).toMatch(
      /"control_revisions" is 2 changes .*of a device, or of where a user lives; there are 2, and 1 more/,
    );
    expect(await places()).toHaveLength(2);
    expect((await move(2, 1, { town: 'Linz' })).body).toMatchObject({ town: 'Linz', latitude: 2 });
  } finally {
    await changeQuotas(fixture.api.db, fixture.api.own.orgId, new Map([['control_revisions', undefined]]));
  }
});

test('two moves at the same time leave one place', async () => {
  await fixture.deviceOf('heat_pump');
  await Promise.all([move(1, 1), move(2, 2)]);
  const kept = await places();
  const { body } = await fixture.api.call('getUser', { path: { user_id: fixture.owner.id } });
  expect(kept).toMatchObject([{ latitude: body.latitude, longitude: body.longitude }]);
});
