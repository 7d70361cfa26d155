import { describe, expect, test } from 'vitest';
import { changeQuotas } from '../../src/accounts/quotas.ts';
import type { Answer } from '../support/api-client.ts';
import { NEXT, NOW, preferencesFixture } from './preferences-fixture.ts';
import { refusal } from './refusal.ts';

const fixture = preferencesFixture();

describe('revisions', () => {
  test('of changes at the same time are one after the other, and none is lost', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    const bodies = [
      { setback_k: 1 },
      { boost_k: 2 },
      { comfort_temperature_c: 22 },
      { price_response: false },
    ];
    const answers = await Promise.all(bodies.map((body) => pump.call('update', { body })));
    expect(answers.map(({ body }) => body.revision as number).toSorted()).toEqual([1, 2, 3, 4]);
    expect((await pump.call('get')).body).toMatchObject(Object.assign({}, ...bodies) as object);
    const { items } = (await pump.call('list')).body;
    const arrivals = items.map((item: { received_at: string }) => item.received_at);
    expect(arrivals).toEqual([3, 2, 1, 0].map((ms) => new Date(Date.parse(NOW) + ms).toISOString()));
    expect(new Set(items.map((item: { effective_from: string }) => item.effective_from))).toEqual(
      new Set([NEXT]),
    );
  });

  test('never hold before those that came in earlier, though a clock goes back', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    fixture.api.clock.set('2026-06-15T12:14:59.999Z');
    await pump.call('update', { body: { setback_k: 1 } });
    fixture.api.clock.set('2026-06-15T11:00:00.000Z');
    expect((await pump.call('update', { body: { setback_k: 2 } })).body).toMatchObject({
      received_at: '2026-06-15T12:15:00.000Z',
      effective_from: '2026-06-15T12:30:00.000Z',
    });
  });

  test('are listed in pages that later ones do not shift', async () => {
    const pump = await fixture.deviceOf('heat_pump');
    for (let i = 1; i <= 5; i++) {
      await pump.call('update', { body: { setback_k: i / 2 } });
      fixture.api.clock.advance(60_000);
    }
    const numbers = ({ body }: Answer) => body.items.map((item: { revision: number }) => item.revision);
    const first = await pump.call('list', { query: { limit: 2 } });
    expect(numbers(first)).toEqual([5, 4]);
    await pump.call('update', { body: { setback_k: 3 } });
    const second = await pump.call('list', { query: { limit: 2, after: first.body.next } });
    expect(numbers(second)).toEqual([3, 2]);
    const address = new URL(/<([^>]+)>; rel="next"/.exec(second.headers['link'] ?? '')?.[1] ?? '');
    expect(address.searchParams.get('after')).toBe(second.body.next);
    const last = await fixture.api.fetch('get', address.pathname + address.search, {
      authorization: `Bearer ${fixture.owner.token}`,
    });
    expect(last.body).toMatchObject({ items: [{ revision: 1 }], limit: 2, next: null });
    expect(last.headers['link']).toBeUndefined();

    const other = await fixture.deviceOf('heat_pump');
    for (const [device, after] of [
      [pump, 'nothing'],
      [other, first.body.next],
    ] as const) {
      expect(refusal(await device.call('list', { query: { after } }))).toEqual([
        422,
        'validation_failed',
        'after cursor_invalid',
      ]);
    }
  });

  test('are as many for each device as the quota says; what changes nothing, and reading, still passes', async () => {
    const [pump, other] = [await fixture.deviceOf('heat_pump'), await fixture.deviceOf('heat_pump')];
    await changeQuotas(fixture.api.db, fixture.api.own.orgId, new Map([['control_revisions', 3]]));
    try {
      for (const setback_k of [1, 2]) await pump.call('update', { body: { setback_k } });
      await pump.call('start', { body: { ends_at: '2026-06-15T14:00:00Z' } });
      for (const refused of [
        await pump.call('update', { body: { setback_k: 3 } }),
        await pump.call('start', { body: { ends_at: '2026-06-15T15:00:00Z' } }),
      ]) {
        expect(refusal(refused)).toEqual([422, 'quota_reached']);
        expect(refused.body.detail).toMatch(/"control_revisions" is 3 .*there are 3, and 1 more/);
      }
      expect((await pump.call('update', { body: { setback_k: 2 } })).body.revision).toBe(3);
      // A boost can be ended in any case.
      expect((await pump.call('end')).status).toBe(204);
      expect((await pump.call('get')).body.revision).toBe(4);
      expect((await other.call('update', { body: { setback_k: 2 } })).body.revision).toBe(1);
    } finally {
      await changeQuotas(fixture.api.db, fixture.api.own.orgId, new Map([['control_revisions', undefined]]));
    }
  });
});
