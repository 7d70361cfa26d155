/** What a day brings to a house: weather, people, and what they ask for. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { isHeatingDay } from '../environment/heating-climate.ts';
import type { Household } from '../household/household.ts';
import { splitSeed } from '../kernel/noise.ts';
import { Whereabouts } from '../people/whereabouts.ts';
import { daySegmentsIn } from '../time/local-day.ts';
import type { DaySegment } from '../time/local-day.ts';
import type { Circumstances } from './circumstances.ts';
import { fillHeaterHold } from './heater-hold.ts';
import { HotWaterDraws, TAP_C, mainsTemperatureC } from './hot-water.ts';
import { createSunGains, fillSunGains } from './sun-gains.ts';
import { NO_HEAT_MK, TargetWander } from './target-temperatures.ts';
import { createForcing } from './thermal-steps.ts';
import type { Forcing } from './thermal-steps.ts';
import { fillRoomRest } from './thermal-house.ts';

/** What a UTC day brings by its 96 quarter hours. */
export interface DayForcing extends Forcing {
  /** Temperature of the ground a metre down, C. */
  readonly soilC: Float64Array;
}

/** Quarter hours of a day, `to` exclusive. */
export interface DayPart {
  readonly from: number;
  readonly to: number;
}

export const WHOLE_DAY: DayPart = { from: 0, to: QUARTER_HOURS_PER_DAY };

/** Empty memory for so many quarter hours. */
export function createDayForcing(quarters = QUARTER_HOURS_PER_DAY): DayForcing {
  return { ...createForcing(quarters), soilC: new Float64Array(quarters) };
}

/** Memory in which one day after the other is computed, of any house. */
const sun = createSunGains();

/** Fills in what days bring to the house of a household. */
export class ForcingSource {
  readonly #segmentsOf: (day: number) => readonly DaySegment[];
  readonly #whereabouts: Whereabouts;
  readonly #draws: HotWaterDraws;
  readonly #wander: TargetWander;

  /** `persons` use hot water. */
  constructor(household: Household, persons: number) {
    this.#segmentsOf = daySegmentsIn(household.time_zone);
    this.#whereabouts = new Whereabouts(household);
    const seed = splitSeed(household.seed);
    this.#draws = new HotWaterDraws(seed, household.index, persons, this.#whereabouts);
    this.#wander = new TargetWander(seed, household.index);
  }

  /** Writes a part of a UTC day (days since 1970) into `forcing`. */
  fill(day: number, circumstances: Circumstances, forcing: DayForcing, part: DayPart = WHOLE_DAY): void {
    const { from, to } = part;
    const { weather, house, performance } = circumstances;
    const { climate } = weather;
    const { outdoorC, roomRest, mostHeat, mains, soilC, roomTarget, heaterHold } = forcing;
    const air = weather.airTemperaturesOn(day);
    outdoorC.set(air.subarray(from, to), from);
    const today = weather.meanTemperatureOn(day);
    const soil = climate.soilTemperatureOn(day);
    soilC.fill(soil, from, to);
    const slow = {
      before: weather.meanTemperatureOn(day - 1),
      today,
      after: weather.meanTemperatureOn(day + 1),
      soil,
    };
    fillSunGains(weather, day, sun, to);
    fillRoomRest(house, outdoorC, slow, sun, roomRest, part);
    const mainsC = mainsTemperatureC(soil);
    mains.fill(Math.round(1000 * mainsC), from, to);
    this.#fillPeople(day, circumstances, forcing, part, house.litreFall * (TAP_C - mainsC));
    if (!isHeatingDay(climate, day, today)) roomTarget.fill(NO_HEAT_MK, from, to);
    performance.fillMostHeat(outdoorC, mostHeat, from, to);
    fillHeaterHold(circumstances, day * QUARTER_HOURS_PER_DAY, heaterHold, part);
  }

  /** What people draw (mK a litre: `perLitre`), give off and ask for. */
  #fillPeople(
    day: number,
    { house, targets: { comfort, goals } }: Circumstances,
    { roomRest, tankFall, roomTarget, tankGoal }: DayForcing,
    { from, to }: DayPart,
    perLitre: number,
  ): void {
    tankFall.fill(0, from, to);
    for (const whole of this.#segmentsOf(day)) {
      const segment = cutSegment(whole, from, to);
      if (segment.from >= segment.to) continue;
      this.#draws.addTo(tankFall, segment, perLitre);
      const ahead = segment.localQuarter - segment.from;
      const peopleLift = this.#whereabouts.isAway(segment.localDay) ? 0 : house.peopleLift;
      for (let i = segment.from; i < segment.to; i++) {
        roomTarget[i] = comfort[i + ahead] ?? 0;
        roomRest[i] = (roomRest[i] ?? 0) + peopleLift;
      }
      goals.fill(tankGoal, segment);
      this.#wander.addTo(roomTarget, segment);
    }
  }
}

/** What of a segment lies in the quarter hours `from` up to and without `to`; empty where nothing does. */
function cutSegment(segment: DaySegment, from: number, to: number): DaySegment {
  if (from <= segment.from && segment.to <= to) return segment;
  const cut = Math.max(0, from - segment.from);
  return {
    from: segment.from + cut,
    to: Math.min(segment.to, to),
    localDay: segment.localDay,
    localQuarter: segment.localQuarter + cut,
  };
}
