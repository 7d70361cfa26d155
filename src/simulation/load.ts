/** Household load: the norm profile H25 as a Fourier fit, shaped, shifted and made bursty (simulation.md B1). */
import { CHANNEL, hash, uniform } from './noise.ts';
import type { Seed } from './noise.ts';
import { ARCHETYPES, archetypeFactor } from './profiles.ts';

/** Bound once: under a test runner's context each use of a global is a slow lookup. */
const { PI, cos, max, sin } = Math;

/** Harmonics 1, cos, sin, cos 2, sin 2, … sin 5 of the dynamised H25, in units of the yearly mean; `w` follows the season. */
const FIT = {
  workday: {
    a: [0.955, -0.017, -0.299, -0.096, -0.198, -0.051, -0.026, 0.023, 0.045, -0.019, -0.019],
    w: [0.156, -0.01, -0.081, -0.06, -0.039, -0.008, 0.018, 0.019, 0.018, -0.001, -0.011],
  },
  saturday: {
    a: [1.091, -0.208, -0.347, 0.03, -0.175, -0.043, 0.033, 0.005, 0.003, 0.001, -0.032],
    w: [0.185, -0.051, -0.11, -0.031, -0.028, -0.013, 0.032, 0.016, 0.005, 0.003, -0.015],
  },
  sunday: {
    a: [1.127, -0.265, -0.354, 0.07, -0.178, -0.1, 0.064, 0.016, 0.005, -0.002, -0.013],
    w: [0.193, -0.066, -0.106, -0.02, -0.019, -0.019, 0.036, 0.021, 0.004, 0.003, -0.009],
  },
} as const;
export type DayType = keyof typeof FIT;

/** Type of a local day (days since 1970, a Thursday); 24 and 31 December count as Saturdays unless Sundays. */
export function dayTypeOf(localDay: number): DayType {
  const weekday = (((localDay + 4) % 7) + 7) % 7;
  if (weekday === 0) return 'sunday';
  if (weekday === 6) return 'saturday';
  const date = new Date(localDay * 86_400_000);
  const eve = date.getUTCMonth() === 11 && (date.getUTCDate() === 24 || date.getUTCDate() === 31);
  return eve ? 'saturday' : 'workday';
}

/** Mean load at a local hour 0..24 over the yearly mean; `season` is cos(2π(doy − 15)/365), 1 in January. */
export function normLoad(type: DayType, hour: number, season: number): number {
  return max(0, fitted(type, hour, season));
}

function fitted(type: DayType, hour: number, season: number): number {
  const { a, w } = FIT[type];
  const theta = (2 * PI * hour) / 24;
  let value = a[0] + w[0] * season;
  for (let n = 1; n <= 5; n++) {
    const cosine = (a[2 * n - 1] ?? 0) + (w[2 * n - 1] ?? 0) * season;
    const sine = (a[2 * n] ?? 0) + (w[2 * n] ?? 0) * season;
    value += cosine * cos(n * theta) + sine * sin(n * theta);
  }
  return value;
}

/** Season term of a day of the year, turned by half a year south of the equator. */
export function seasonOf(doy: number, latitude: number): number {
  return cos((2 * PI * (doy + (latitude < 0 ? 182 : 0) - 15)) / 365);
}

/** Mean over week and year of the norm profile times each archetype's factor: what the load is divided by. */
const norms = new Map(
  ARCHETYPES.map(({ name }) => {
    let sum = 0;
    for (let quarter = 0; quarter < 96; quarter++) {
      const hour = (quarter + 0.5) / 4;
      const week =
        5 * normLoad('workday', hour, 0) + normLoad('saturday', hour, 0) + normLoad('sunday', hour, 0);
      sum += (week / 7) * archetypeFactor(name, hour);
    }
    return [name, sum / 96] as const;
  }),
);

/** Gives the load over its yearly mean at the 96 quarters of a local day of some type and season. */
export type Curves = (type: DayType, season: number) => Float64Array;

/**
 * Curves of an archetype whose day is moved by `shiftMinutes`. The fit is linear in the season, so each type of
 * day is two tables, made when first asked for.
 */
export function loadCurves(profile: string, shiftMinutes: number): Curves {
  const hours = Array.from({ length: 96 }, (_, i) => ((((i + 0.5) / 4 - shiftMinutes / 60) % 24) + 24) % 24);
  const norm = norms.get(profile) ?? 1;
  const factors = Float64Array.from(hours, (hour) => archetypeFactor(profile, hour) / norm);
  const tables = new Map<DayType, { mean: Float64Array; swing: Float64Array }>();
  return (type, season) => {
    let table = tables.get(type);
    if (!table) {
      const mean = Float64Array.from(hours, (hour) => fitted(type, hour, 0));
      const swing = mean.map((value, i) => fitted(type, hours[i] ?? 0, 1) - value);
      tables.set(type, (table = { mean, swing }));
    }
    const { mean, swing } = table;
    return mean.map((value, i) => max(0, value + season * (swing[i] ?? 0)) * (factors[i] ?? 0));
  };
}

/** Quarter-hour bursts: three levels with mean 1 (12 % at 3.2, 18 % at 1.25, the rest low), mixed with a base. */
const BASE = 0.42;
const LEVELS = [3.2, 1.25, (1 - 0.12 * 3.2 - 0.18 * 1.25) / 0.7] as const;

export function burst(seed: Seed, household: number, quarterIndex: number): number {
  const draw = hash(seed, household, CHANNEL.burst, quarterIndex) % 100;
  const level = draw < 12 ? LEVELS[0] : draw < 30 ? LEVELS[1] : LEVELS[2];
  return BASE + (1 - BASE) * level;
}

/** Factor of a whole day, uniform in 1 ± `spread`. */
export function dayFactor(seed: Seed, household: number, localDay: number, spread: number): number {
  return 1 + (2 * uniform(seed, household, CHANNEL.dayFactor, localDay) - 1) * spread;
}
