/** The expected load of each archetype through a day: the norm profile, shaped so that the mix stays the norm. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { ARCHETYPES, findArchetype } from '../household/profiles.ts';
import { DAY_TYPES } from '../time/day-type.ts';
import type { DayType } from '../time/day-type.ts';
import { bumpAt } from './hours.ts';
import { MONTHS, meanOf, meanOverYear, normProfile } from './norm-profile.ts';

/** Centre (hour) and half width (hours) of what an archetype has more or less of: morning, midday and evening. */
const BUMPS: readonly (readonly [hour: number, halfWidth: number])[] = [
  [7.5, 3],
  [12.5, 3.5],
  [19.5, 3.5],
];

/** The bumps at the 96 quarter hours, each less its mean over the norm profile: whoever has more of one takes as much a year. */
const BUMP_CURVES: readonly Float64Array[] = BUMPS.map(([at, width]) => {
  const curve = bumpAt(at, width);
  const mean = meanOverYear((month, type) =>
    meanOf(normProfile(month, type).map((load, i) => load * (curve[i] ?? 0))),
  );
  return curve.map((value) => value - mean);
});

/** The energy-weighted mean of a bump over the mix; taken off each archetype, so that the mix stays the norm. */
const MEAN_BUMPS: readonly number[] = BUMPS.map((_, bump) => {
  let energy = 0;
  let bumped = 0;
  for (const { sharePercent, annualKwh, bumps } of ARCHETYPES) {
    energy += sharePercent * annualKwh;
    bumped += sharePercent * annualKwh * (bumps[bump] ?? 0);
  }
  return bumped / energy;
});

function makeCurve(profile: string, month: number, type: DayType): Float64Array {
  const bumps = findArchetype(profile)?.bumps ?? MEAN_BUMPS;
  return normProfile(month, type).map((load, i) => {
    let factor = 1;
    for (const [bump, values] of BUMP_CURVES.entries()) {
      factor += ((bumps[bump] ?? 0) - (MEAN_BUMPS[bump] ?? 0)) * (values[i] ?? 0);
    }
    return load * factor;
  });
}

/** By archetype (name), then by month and type. */
const curvesByProfile = new Map<string, readonly Float64Array[]>();
const NO_LOAD = new Float64Array(QUARTER_HOURS_PER_DAY);

/**
 * Expected load of an archetype (name) over its yearly mean at the 96 quarter hours of a day in a month (zero-based); the
 * mean of the default mix, weighted by energy, is the norm profile, whatever the month and day.
 */
export function archetypeCurve(profile: string, month: number, type: DayType): Float64Array {
  let curves = curvesByProfile.get(profile);
  if (!curves) {
    curves = Array.from({ length: MONTHS }, (_, of) =>
      DAY_TYPES.map((its) => makeCurve(profile, of, its)),
    ).flat();
    curvesByProfile.set(profile, curves);
  }
  return curves[month * DAY_TYPES.length + DAY_TYPES.indexOf(type)] ?? NO_LOAD;
}

const meanCurves = new Map<string, Float64Array>();

/** Mean over the year of the curves of an archetype (name): mean 1, 96 quarter hours. */
export function meanLoadCurve(profile: string): Float64Array {
  let mean = meanCurves.get(profile);
  if (!mean) {
    mean = Float64Array.from({ length: QUARTER_HOURS_PER_DAY }, (_, i) =>
      meanOverYear((month, type) => archetypeCurve(profile, month, type)[i] ?? 0),
    );
    meanCurves.set(profile, mean);
  }
  return mean;
}
