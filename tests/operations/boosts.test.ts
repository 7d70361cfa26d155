import { describe, expect, test } from 'vitest';
import { by, NEXT, preferencesFixture, STEERED_TYPES } from './preferences-fixture.ts';
import { refusal } from './refusal.ts';

const fixture = preferencesFixture();

describe('a boost', () => {
  const ends_at = '2026-06-15T14:00:00.000Z';

  test.each(STEERED_TYPES)(
    'of an %s begins with the next quarter hour, and ends when it is told to',
    async (type) => {
      const device = await fixture.deviceOf(type);
      const boost = await device.call('start', {
        body: { ends_at: '2026-06-15T15:50:01+02:00' },
        token: fixture.owner.token,
      });
      const expected = { device_id: device.id, device_type: type, starts_at: NEXT, ends_at };
      expect([boost.status, boost.body]).toEqual([200, expected]);
      expect((await device.call('get')).body).toMatchObject({
        boost_ends_at: ends_at,
        revision: 1,
        change: 'boost',
        effective_from: NEXT,
        changed_by: by(fixture.owner),
      });
      fixture.api.clock.set('2026-06-15T13:01:00.000Z');
      expect((await device.call('end')).status).toBe(204);
      expect((await device.call('get')).body).toMatchObject({
        boost_ends_at: null,
        revision: 2,
        change: 'boost_end',
        effective_from: '2026-06-15T13:15:00.000Z',
      });
      const { items } = (await device.call('list')).body;
      expect(items.map((item: { boost_ends_at: unknown }) => item.boost_ends_at)).toEqual([null, ends_at]);
    },
  );

  test('is one at a time: another one takes its place, the same one again is the same', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    const start = async (end: string) => (await pump.call('start', { body: { ends_at: end } })).body;
    const first = await start(ends_at);
    fixture.api.clock.set('2026-06-15T12:20:00.000Z');
    expect(await start(ends_at)).toEqual(first);
    expect((await pump.call('get')).body.revision).toBe(1);
    const second = await start('2026-06-15T13:00:00.000Z');
    expect(second).toMatchObject({
      starts_at: '2026-06-15T12:30:00.000Z',
      ends_at: '2026-06-15T13:00:00.000Z',
    });
    expect((await pump.call('get')).body).toMatchObject({ revision: 2, boost_ends_at: second.ends_at });
  });

  test('goes on when preferences change, and they stay when it ends', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    await pump.call('start', { body: { ends_at } });
    expect((await pump.call('update', { body: { setback_k: 1 } })).body).toMatchObject({
      boost_ends_at: ends_at,
      setback_k: 1,
    });
    await pump.call('end');
    expect((await pump.call('get')).body).toMatchObject({ boost_ends_at: null, setback_k: 1, revision: 3 });
  });

  test('that is over is not shown any more, is not ended, and does not come back with a change', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    await pump.call('start', { body: { ends_at } });
    fixture.api.clock.set(ends_at);
    expect((await pump.call('get')).body).toMatchObject({ boost_ends_at: null, revision: 1 });
    expect((await pump.call('end')).status).toBe(204);
    expect((await pump.call('update', { body: { setback_k: 1 } })).body).toMatchObject({ revision: 2 });
    const { items } = (await pump.call('list')).body;
    expect(items.map((item: { boost_ends_at: unknown }) => item.boost_ends_at)).toEqual([null, ends_at]);
  });

  test('that is not there is ended with the same answer, and leaves no revision', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    expect((await pump.call('end')).status).toBe(204);
    expect((await pump.call('get')).body.revision).toBe(0);
  });

  test.each([
    [{ ends_at: NEXT }, '/ends_at boost_too_short'],
    [{ ends_at: '2020-01-01T00:00:00Z' }, '/ends_at boost_too_short'],
    [{ ends_at: '2026-06-16T12:02:00.001Z' }, '/ends_at boost_too_long'],
    [{ ends_at: 'tomorrow' }, '/ends_at format'],
    [{}, '/ends_at required'],
    [{ ends_at: NEXT, color: 1 }, '/color unknown_property', '/ends_at boost_too_short'],
  ])('%j is refused', async (body, ...errors) => {
    for (const type of STEERED_TYPES) {
      const device = await fixture.deviceOf(type);
      const [status, code, ...found] = refusal(await device.call('start', { body }));
      expect([status, code, ...found.toSorted()]).toEqual([422, 'validation_failed', ...errors]);
      expect((await device.call('get')).body.revision).toBe(0);
    }
  });

  test('may last for 24 hours, and for a millisecond of a quarter hour', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    const start = async (end: string) => (await pump.call('start', { body: { ends_at: end } })).body.ends_at;
    expect(await start('2026-06-16T12:02:00.000Z')).toBe('2026-06-16T12:15:00.000Z');
    expect(await start('2026-06-15T12:15:00.001Z')).toBe('2026-06-15T12:30:00.000Z');
  });
});
