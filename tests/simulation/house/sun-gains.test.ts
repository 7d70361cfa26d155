import { describe, expect, test } from 'vitest';
import type { SiteWeather } from '../../../src/simulation/environment/weather.ts';
import { createSunGains, fillSunGains } from '../../../src/simulation/house/sun-gains.ts';
import { dayNumber, dayOf, heatedHouseholds, simulationOf, sum } from './houses.ts';

/** Days of sunshine around noon that are all alike, of a mean temperature. */
function steadyWeather(
  meanC: number,
  brightest: number,
): Pick<SiteWeather, 'irradianceOn' | 'meanTemperatureOn'> {
  const global = Float64Array.from({ length: 96 }, (_, i) =>
    Math.max(0, brightest * Math.sin(((i + 0.5 - 24) / 48) * Math.PI)),
  );
  const none = new Float64Array(96);
  const rows = { global, diffuse: none, beamEast: none, beamNorth: none, beamUp: none };
  return { irradianceOn: () => rows, meanTemperatureOn: () => meanC };
}

function gainsOf(meanC: number, brightest: number): Float64Array {
  const gains = createSunGains();
  fillSunGains(steadyWeather(meanC, brightest), 0, gains, 96);
  return gains;
}

describe('the sun that rooms feel', () => {
  test('is all that comes in on a cool day, but later', () => {
    const light = steadyWeather(10, 800).irradianceOn(0).global;
    const gains = gainsOf(10, 800);
    expect(Math.abs(sum(gains) / sum(light) - 1)).toBeLessThan(0.02);
    const brightest = gains.indexOf(Math.max(...gains));
    expect(brightest).toBeGreaterThan(48 + 4);
    expect(sum(gains.subarray(72)) / sum(gains)).toBeGreaterThan(0.15);
  });

  test('is kept out on warm days, the bright part of it, the more the warmer it is', () => {
    const [cool, mild, warm, hot] = [13, 17, 20, 28].map((meanC) => sum(gainsOf(meanC, 800)));
    expect(mild).toBeLessThan(0.85 * (cool ?? NaN));
    expect(warm).toBeLessThan(0.5 * (cool ?? NaN));
    expect(hot).toBe(warm);
    expect(sum(gainsOf(28, 140))).toBe(sum(gainsOf(10, 140)));
  });
});

/** Swings of single days and hours (UTC) of their highest temperatures in the rooms of homes in July. */
function julyRooms(latitude: number, longitude: number) {
  const first = dayNumber('2025-07-01');
  const homes = heatedHouseholds(latitude, longitude).slice(0, 10);
  return homes.flatMap((household) => {
    const simulation = simulationOf(household);
    return Array.from({ length: 28 }, (_, i) => {
      const indoor = Array.from(dayOf(simulation, first + i).indoor);
      const falls = indoor.slice(4).map((after, at) => (indoor[at] ?? 0) - after);
      const warmest = Math.max(...indoor);
      return {
        swingK: (warmest - Math.min(...indoor)) / 1000,
        hour: indoor.indexOf(warmest) / 4,
        fallK: Math.max(...falls) / 1000,
      };
    });
  });
}

test('in July rooms swing by a kelvin or two, are warmest in the evening and cool by degrees', () => {
  for (const [latitude, longitude] of [
    [59.9, 10.7],
    [52.5, 13.4],
  ] as const) {
    const days = julyRooms(latitude, longitude);
    const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b);
    const at = (values: number[], part: number): number =>
      sorted(values)[Math.floor(part * values.length)] ?? NaN;
    const swings = days.map(({ swingK }) => swingK);
    expect(at(swings, 0.5)).toBeLessThan(2);
    expect(at(swings, 0.9)).toBeLessThan(3.3);
    expect(
      at(
        days.map(({ hour }) => hour),
        0.5,
      ),
    ).toBeGreaterThan(15.5);
    expect(Math.max(...days.map(({ fallK }) => fallK))).toBeLessThan(1.3);
  }
});
