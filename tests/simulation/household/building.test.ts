import { describe, expect, test } from 'vitest';
import type { Household } from '../../../src/simulation/household/household.ts';
import { households } from '../fleet.ts';

const heated = (
  latitude: number,
  longitude: number,
  body: object = {},
): NonNullable<Household['heat_pump']>[] =>
  households({ count: 900, latitude, longitude, ...body }).flatMap(({ heat_pump: pump }) =>
    pump ? [pump] : [],
  );
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
const lossPerM2 = (pumps: ReturnType<typeof heated>): number =>
  median(pumps.map(({ building }) => building.heat_loss_w_per_k / building.floor_area_m2));

describe('buildings', () => {
  const london = heated(51.5, -0.1);

  test('lose what was measured in British homes with heat pumps', () => {
    expect(lossPerM2(london)).toBeGreaterThan(1.3);
    expect(lossPerM2(london)).toBeLessThan(1.6);
    const losses = london.map(({ building }) => building.heat_loss_w_per_k);
    expect(median(losses)).toBeGreaterThan(165);
    expect(median(losses)).toBeLessThan(260);
  });

  test('are better insulated where TABULA says so, and where winters are cold', () => {
    const oslo = lossPerM2(heated(59.9, 10.7));
    const berlin = lossPerM2(heated(52.5, 13.4));
    expect(oslo).toBeLessThan(berlin);
    expect(berlin).toBeLessThan(lossPerM2(london));
    expect(lossPerM2(heated(61, -150))).toBeLessThan(lossPerM2(heated(35.7, 139.7)));
  });

  test('are larger for more persons, and wanted at 20.6 C with a spread of 1.3 K', () => {
    const area = (profile: string): number =>
      median(
        heated(51.5, -0.1, { groups: [{ name: 'a', profile }] }).map(
          ({ building }) => building.floor_area_m2,
        ),
      );
    expect(area('large_family')).toBeGreaterThan(1.4 * area('single_working'));
    const wanted = london.map(({ building }) => building.comfort_c);
    const mean = wanted.reduce((a, b) => a + b, 0) / wanted.length;
    const spread = Math.sqrt(wanted.reduce((total, each) => total + (each - mean) ** 2, 0) / wanted.length);
    expect(Math.abs(mean - 20.6)).toBeLessThan(0.3);
    expect(Math.abs(spread - 1.3)).toBeLessThan(0.25);
  });
});

test('heat pumps are sized for the coldest day, and their rating holds compressor and heater', () => {
  for (const pump of heated(48.2, 16.4)) {
    const { building } = pump;
    const lift = building.comfort_c - 4 - pump.design_temperature_c;
    const part = pump.source === 'air' ? 1 + 0.02 * (pump.design_temperature_c - 7) : 1;
    expect((pump.heat_output_w * part) / (building.heat_loss_w_per_k * lift)).toBeGreaterThan(0.7);
    expect(pump.rated_power_w).toBeGreaterThan(pump.backup_power_w + pump.heat_output_w / 3.2);
  }
});
