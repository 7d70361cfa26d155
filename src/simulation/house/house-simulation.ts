/** A house with its heat pump, day by day: what the weather, the people and the schedule make of its temperatures. */
import { DAY_MS, QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import { NO_PRICES } from '../control/price-book.ts';
import { SCHEDULE_STATES } from '../control/schedule-states.ts';
import type { ScheduleState } from '../control/schedule-states.ts';
import type { Steering } from '../control/steering.ts';
import { isHeatingDay } from '../environment/heating-climate.ts';
import { siteWeather } from '../environment/weather.ts';
import type { SiteWeather } from '../environment/weather.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import type { Household } from '../household/household.ts';
import { DayCache } from '../kernel/bounded-cache.ts';
import { NOISE_CHANNEL, hashInStream, hashStream, splitSeed } from '../kernel/noise.ts';
import { roundNonNegative } from '../kernel/typed-arrays.ts';
import { Whereabouts } from '../people/whereabouts.ts';
import { daySegmentsIn } from '../time/local-day.ts';
import type { DaySegment } from '../time/local-day.ts';
import { packIntoRuns } from './compressor-runs.ts';
import { createHeatPumpScheduler } from './schedule.ts';
import { packState, roomOf, tankOf } from './house-state.ts';
import { workspace } from './workspace.ts';
import type { HeatPumpRows } from './heat-pump-rows.ts';
import { HotWaterDraws, TAP_C, mainsTemperatureC, tankGoals } from './hot-water.ts';
import { HeatPumpPerformance } from './performance.ts';
import { NO_HEAT_MK, TARGET_OFFSET_MK, comfortTargets } from './target-temperatures.ts';
import {
  COLDEST_ROOM_MK,
  COLDEST_TANK_MK,
  WARMEST_ROOM_MK,
  fillRoomRest,
  runThermalDay,
  thermalHouseOf,
} from './thermal-day.ts';
import type { ThermalHouse } from './thermal-day.ts';

const MID = SCHEDULE_STATES.indexOf('mid');
/** Power of controls and circulation at any time, as the energy of a quarter hour, mWh. */
const STANDBY_MILLI_WH = 12 * 250;
/** Less than a watt of heat is none, mWh. */
const NO_HEAT_MILLI_WH = 250;
/** Day starts that a house remembers. */
const KNOWN_DAYS = 16;

/** A house whose past is found by computing as much of it as matters; it starts at comfort with a warm tank. */
export class HouseSimulation {
  readonly #weather: SiteWeather;
  readonly #segmentsOf: (day: number) => readonly DaySegment[];
  /** Null where there are no prices. */
  readonly #scheduleState: ((at: Date) => ScheduleState) | null;
  readonly #house: ThermalHouse;
  readonly #performance: HeatPumpPerformance;
  readonly #limit: number;
  readonly #isAway: (localDay: number) => boolean;
  readonly #draws: HotWaterDraws;
  readonly #comfort: Int32Array;
  readonly #goals: Int32Array;
  readonly #runStream: number;
  readonly #firstDay: number;
  readonly #firstQuarter: number;
  readonly #origin: number;
  /** Temperatures at the starts of days. */
  readonly #known = new DayCache<number>(KNOWN_DAYS);

  constructor(household: Household, pump: HeatPump, { prices, knownUntilMs }: Steering) {
    const { index, latitude, longitude } = household;
    const seed = splitSeed(household.seed);
    this.#weather = siteWeather(seed, latitude, longitude);
    this.#segmentsOf = daySegmentsIn(household.time_zone);
    this.#scheduleState =
      prices === NO_PRICES ? null : createHeatPumpScheduler(household, prices, new Date(knownUntilMs));
    this.#house = thermalHouseOf(pump);
    this.#performance = new HeatPumpPerformance(pump);
    this.#limit = pump.rated_power_w * 250;
    const whereabouts = new Whereabouts(household);
    this.#isAway = (localDay) => whereabouts.isAway(localDay);
    this.#draws = new HotWaterDraws(seed, index, pump.building.persons, this.#isAway);
    this.#comfort = comfortTargets(seed, index, pump.building);
    this.#goals = tankGoals(seed, index, pump.tank.target_c);
    this.#runStream = hashStream(seed, index, NOISE_CHANNEL.compressorRun);
    this.#firstDay = Math.floor(household.anchor_ms / DAY_MS);
    const sinceMidnight = household.anchor_ms - this.#firstDay * DAY_MS;
    this.#firstQuarter = Math.floor(sinceMidnight / QUARTER_HOUR_MS);
    this.#origin = packState(this.#house.comfort, this.#house.tankTarget);
  }

  /** Writes a UTC day (days since 1970) into `rows`; before the anchor the heat pump is off and nothing changes. */
  fillDay(day: number, rows: HeatPumpRows): void {
    if (day < this.#firstDay) {
      this.#fillIdle(QUARTER_HOURS_PER_DAY, rows);
      return;
    }
    const state = this.#stateAtStartOf(day);
    const soilC = this.#fillForcing(day);
    const first = this.#firstQuarterOf(day);
    this.#known.set(day + 1, this.#run(day, state));
    this.#fillIdle(first, rows);
    this.#fillRows(day, first, soilC, rows);
  }

  #firstQuarterOf(day: number): number {
    return day === this.#firstDay ? this.#firstQuarter : 0;
  }

  /** Runs the day whose forcing is in the workspace; the state at its end. */
  #run(day: number, state: number): number {
    const { forcing, course } = workspace;
    runThermalDay(this.#house, forcing, this.#firstQuarterOf(day), roomOf(state), tankOf(state), course);
    return packState(course.room[QUARTER_HOURS_PER_DAY] ?? 0, course.tank[QUARTER_HOURS_PER_DAY] ?? 0);
  }

  #stateAtStartOf(day: number): number {
    for (let back = 1; ; back *= 2) {
      const state = this.#stateFrom(Math.max(this.#firstDay, day - back), day);
      if (state !== undefined) return state;
    }
  }

  /** The state at the start of `day` by what happened from the start of `from` on; undefined where that is not enough. */
  #stateFrom(from: number, day: number): number | undefined {
    let since = day;
    while (since > from && this.#known.find(since) === undefined) since--;
    let low = this.#known.find(since) ?? packState(COLDEST_ROOM_MK, COLDEST_TANK_MK);
    let high = this.#known.find(since) ?? packState(WARMEST_ROOM_MK, this.#house.tankTarget);
    if (since === this.#firstDay) low = high = this.#origin;
    for (let at = since; at < day; at++) {
      this.#fillForcing(at);
      const isMet = low === high;
      low = this.#run(at, low);
      high = isMet ? low : this.#run(at, high);
      if (low === high) this.#known.set(at + 1, low);
    }
    return low === high ? low : undefined;
  }

  /** Writes what a day brings into the workspace; returns the temperature of the ground, C. */
  #fillForcing(day: number): number {
    const { forcing } = workspace;
    const weather = this.#weather;
    const { climate } = weather;
    const { outdoorC, roomRest, mostHeat, tankFall, roomTarget, tankGoal } = forcing;
    outdoorC.set(weather.airTemperaturesOn(day));
    const today = weather.meanTemperatureOn(day);
    const soilC = climate.soilTemperatureOn(day);
    const slow = {
      before: weather.meanTemperatureOn(day - 1),
      today,
      after: weather.meanTemperatureOn(day + 1),
      soil: soilC,
    };
    fillRoomRest(this.#house, outdoorC, slow, weather.irradianceOn(day).global, roomRest);
    const mainsC = mainsTemperatureC(soilC);
    forcing.mains = Math.round(1000 * mainsC);
    const isHeating = isHeatingDay(climate, day, today);
    const perLitre = this.#house.litreFall * (TAP_C - mainsC);
    const comfort = this.#comfort;
    const goals = this.#goals;
    tankFall.fill(0);
    for (const segment of this.#segmentsOf(day)) {
      this.#draws.addTo(tankFall, segment, perLitre);
      const ahead = segment.localQuarter - segment.from;
      const peopleLift = this.#isAway(segment.localDay) ? 0 : this.#house.peopleLift;
      for (let i = segment.from; i < segment.to; i++) {
        roomTarget[i] = comfort[i + ahead] ?? 0;
        tankGoal[i] = goals[i + ahead] ?? 0;
        roomRest[i] = (roomRest[i] ?? 0) + peopleLift;
      }
    }
    forcing.isHeating = isHeating;
    if (!isHeating) roomTarget.fill(NO_HEAT_MK);
    this.#performance.fillMostHeat(outdoorC, mostHeat);
    this.#followSchedule(day, isHeating);
    return soilC;
  }

  #followSchedule(day: number, isHeating: boolean): void {
    const scheduleState = this.#scheduleState;
    const { asked } = workspace;
    asked.fill(MID);
    if (scheduleState === null) return;
    const { roomTarget, tankGoal } = workspace.forcing;
    const start = day * QUARTER_HOURS_PER_DAY;
    for (let i = this.#firstQuarterOf(day); i < QUARTER_HOURS_PER_DAY; i++) {
      const state = scheduleState(new Date((start + i) * QUARTER_HOUR_MS));
      asked[i] = SCHEDULE_STATES.indexOf(state);
      if (state === 'min') {
        roomTarget[i] = NO_HEAT_MK;
        tankGoal[i] = NO_HEAT_MK;
      } else if (isHeating) {
        roomTarget[i] = (roomTarget[i] ?? 0) + TARGET_OFFSET_MK[state];
      }
    }
  }

  /** Writes the day in the workspace, from quarter hour `first` on. */
  #fillRows(day: number, first: number, soilC: number, rows: HeatPumpRows): void {
    const { forcing, course, roomShare } = workspace;
    const { outdoorC } = forcing;
    const { roomHeat, tankHeat, backupHeat } = course;
    const { electric, least, cycles } = roomShare;
    const performance = this.#performance;
    roomHeat.fill(0, 0, first);
    cycles.fill(0, 0, first);
    if (forcing.isHeating) {
      performance.fillRoomShare(roomShare, first, soilC);
      packIntoRuns({ heat: roomHeat, electric, cycles }, least, hashInStream(this.#runStream, day) & 7);
    } else electric.fill(0);
    const { hp, heat, mode, asked, indoor, hotWater } = rows;
    asked.set(workspace.asked);
    for (let i = first; i < QUARTER_HOURS_PER_DAY; i++) {
      const water = tankHeat[i] ?? 0;
      const backup = backupHeat[i] ?? 0;
      const given = (roomHeat[i] ?? 0) + backup + water;
      indoor[i + 1] = course.room[i + 1] ?? 0;
      hotWater[i + 1] = course.tank[i + 1] ?? 0;
      if (given < NO_HEAT_MILLI_WH) {
        hp[i] = STANDBY_MILLI_WH;
        heat[i] = mode[i] = 0;
        continue;
      }
      const ofWater = water > 0 ? water / performance.tankCop(outdoorC[i] ?? 0, soilC) : 0;
      const drawn = (electric[i] ?? 0) + backup + ofWater + STANDBY_MILLI_WH;
      hp[i] = Math.min(this.#limit, roundNonNegative(drawn));
      heat[i] = roundNonNegative(given);
      mode[i] = water > 0 ? 2 : 1;
    }
    indoor[first] = course.room[first] ?? 0;
    hotWater[first] = course.tank[first] ?? 0;
  }

  /** Writes the quarter hours before `first`, in which nothing happens. */
  #fillIdle(first: number, { hp, heat, mode, asked, indoor, hotWater }: HeatPumpRows): void {
    asked.fill(MID, 0, first);
    for (const row of [hp, heat, mode]) row.fill(0, 0, first);
    indoor.fill(this.#house.comfort, 0, first + 1);
    hotWater.fill(this.#house.tankTarget, 0, first + 1);
  }
}
