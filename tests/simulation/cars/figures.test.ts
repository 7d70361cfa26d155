// The figures of section "Electric vehicle" of docs/simulation.md that are cheap; `make validate` has the rest.
import { expect, test } from 'vitest';
import { mostHomeChargingKwh } from '../../../src/simulation/cars/carried-energy.ts';
import { simulateCarYear } from '../../../tools/validate/car-year.ts';
import { households } from '../fleet.ts';

const ANCHOR = new Date('2024-12-01T00:00:00Z');
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

test.each([null, 300, 2500, 6000])(
  'cars charge %s kWh a year at home as asked, within 5 %% each',
  (asked) => {
    const body = {
      count: 60,
      seed: 11,
      ev_ownership_fraction: 1,
      annual_consumption_kwh: 3000,
      ...(asked === null ? {} : { annual_consumption_with_ev_kwh: 3000 + asked }),
    };
    const deviations = households(body, ANCHOR).map(
      (household) => sum(simulateCarYear(household).homeKwh) / household.ev_annual_kwh - 1,
    );
    for (const deviation of deviations) expect(Math.abs(deviation)).toBeLessThan(0.05);
    expect(Math.abs(sum(deviations) / deviations.length)).toBeLessThan(0.01);
  },
);

test('where the definition leaves it open, cars of a fleet differ and their mean is the default', () => {
  const fleet = households({ count: 1000, ev_ownership_fraction: 1 });
  const asked = fleet.map((household) => household.ev_annual_kwh).sort((a, b) => a - b);
  expect(Math.abs(sum(asked) / asked.length / 2500 - 1)).toBeLessThan(0.08);
  expect((asked[900] ?? 0) / (asked[100] ?? NaN)).toBeGreaterThan(3);
  const mean = (profile: string): number => {
    const those = fleet.filter((household) => household.profile === profile);
    return sum(those.map((household) => household.ev_annual_kwh)) / those.length;
  };
  expect(mean('single_retired') / mean('single_working')).toBeLessThan(0.9);
});

test('cars are plugged in as drivers do: in the afternoon and evening, some by day, most for the night', () => {
  const years = households({ count: 80, ev_ownership_fraction: 1 }, ANCHOR).map(simulateCarYear);
  const sessions = years.flatMap((year) => year.sessions);
  const share = (chosen: readonly unknown[]): number => chosen.length / sessions.length;
  const late = sessions.filter(({ startHour }) => startHour >= 15 && startHour < 21);
  expect(share(late)).toBeGreaterThan(0.42);
  expect(share(late)).toBeLessThan(0.65);
  const weekend = sessions.filter(({ weekday }) => weekday >= 5);
  const atNight = weekend.filter(({ startHour }) => startHour >= 20).length / weekend.length;
  expect(atNight).toBeGreaterThan(0.15);
  expect(atNight).toBeLessThan(0.35);
  expect(share(sessions.filter(({ hours }) => hours < 6))).toBeGreaterThan(0.2);
  expect(share(sessions.filter(({ hours }) => hours > 9))).toBeGreaterThan(0.45);
  const weekly = years.map((year) => year.sessions.length / (365 / 7)).sort((a, b) => a - b);
  expect(weekly[40] ?? 0).toBeGreaterThan(1.9);
  expect(weekly[40] ?? 0).toBeLessThan(3.4);
  expect(weekly[20] ?? 0).toBeLessThan(2);
  const elsewhere = sum(years.map((year) => year.elsewhereKwh)) / sum(years.map((year) => year.drivenKwh));
  expect(elsewhere).toBeLessThan(0.15);
  const noon = sum(years.map((year) => year.noonShare)) / years.length;
  expect(noon).toBeGreaterThan(0.07);
  expect(noon).toBeLessThan(0.3);
  expect(Math.max(...years.map((year) => year.topSpeed))).toBeLessThanOrEqual(130);
  expect(Math.min(...years.map((year) => year.lowestSocPercent))).toBeGreaterThanOrEqual(9.99);
});

test('cars charge the most of which no preview warns, within 4 % each', () => {
  const fleet = households({ count: 60, seed: 42, ev_ownership_fraction: 1 }, ANCHOR);
  const deviations = fleet.map((household) => {
    const vehicle = household.electric_vehicle;
    if (!vehicle) throw new Error('every household has one here');
    const most = mostHomeChargingKwh({ ...household, ev_annual_kwh: 1e6 }, vehicle);
    return sum(simulateCarYear({ ...household, ev_annual_kwh: most }).homeKwh) / most - 1;
  });
  expect(Math.min(...deviations)).toBeGreaterThan(-0.04);
  expect(Math.abs(sum(deviations) / deviations.length)).toBeLessThan(0.01);
});
