import { expect, test } from 'vitest';
import {
  climateAt,
  meanClearSkyIndex,
  normTemperatureC,
} from '../../../src/simulation/environment/climate.ts';

const dayOf = (month: number): number => Date.UTC(2026, month - 1, 15) / 86_400_000;

// North of the equator July is summer, in Europe and elsewhere; south of it January.
test.each([
  ['Vienna', 48.2, 16.4, 7],
  ['Chicago', 41.9, -87.6, 7],
  ['Cape Town', -33.9, 18.4, 1],
  ['Melbourne', -37.8, 145, 1],
])('%s is warmest and clearest in its own summer', (_name, latitude, longitude, summer) => {
  const winter = summer === 7 ? 1 : 7;
  const climate = climateAt(latitude, longitude);
  expect(climate.amplitudeK).toBeGreaterThan(3);
  expect(normTemperatureC(climate, dayOf(summer))).toBeGreaterThan(
    normTemperatureC(climate, dayOf(winter)) + climate.amplitudeK,
  );
  expect(meanClearSkyIndex(latitude, dayOf(summer))).toBeGreaterThan(
    meanClearSkyIndex(latitude, dayOf(winter)),
  );
});

test('near the equator no month is much warmer than another', () => {
  expect(climateAt(1, 100).amplitudeK).toBe(0);
});
