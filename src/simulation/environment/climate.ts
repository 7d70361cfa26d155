/** The climate of a place: what its months and seasons are like, without the weather of a day (docs/simulation.md#weather). */
import { dayOfYear } from '../time/calendar.ts';
import { climateColumnsAt } from './climate-map.ts';
import { CLIMATE_COLUMNS, LAPSE_RATES } from './climate-terms.ts';
import { MonthlyCourse, northernWarmth } from './norm-year.ts';

const MONTHS = LAPSE_RATES.length;
const YEAR_DAYS = 365;
/** Degrees of latitude on each side of the equator over which one half's seasons give way to the other's. */
const SEASONLESS_DEGREES = 5;
/** A cosine with its extremes in the middle of winter and summer has so much of its amplitude as mean of the season. */
const SEASON_MEAN = 0.92;
/** Spreads by which the coldest daily mean of ten years is below the norm, and what is below even that, K. */
const COLDEST_SPREADS = 3.5;
const DESIGN_MARGIN = 0.5;
/** Daily mean under which houses are heated, C. */
const HEATING_LIMIT = 15;
/** The ground a metre down follows the air so much, and so many days late. */
const SOIL_SHARE = 0.35;
const SOIL_DELAY_DAYS = 42;

/** A value of winter and one of summer, and by how the season stands between them. */
class SeasonalValue {
  readonly #mean: number;
  readonly #amplitude: number;

  constructor(winter: number, summer: number, halfOfEarth: number) {
    this.#mean = (winter + summer) / 2;
    this.#amplitude = (halfOfEarth * (summer - winter)) / 2 / SEASON_MEAN;
  }

  get mean(): number {
    return this.#mean;
  }

  at(dayInYear: number): number {
    return this.#mean + this.#amplitude * northernWarmth(dayInYear);
  }
}

/** What the weather of a place is drawn around. Days count since 1970, unless they are called days of the year, 1..366. */
export class Climate {
  /** Mean temperature of the twelve months of the calendar, C. */
  readonly monthlyMeansC: readonly number[];
  /** Mean of the year, C. */
  readonly meanC: number;
  /** Coldest daily mean to be expected in about ten years, less half a kelvin, C. */
  readonly designC: number;
  /** Days of the norm year whose mean is below 15 C. */
  readonly heatingDays: number;
  /** Autocorrelation of the daily mean after one and two days, and of the clearness after one. */
  readonly memory: readonly [number, number];
  readonly clearnessMemory: number;
  /** Correlation of the day's clearness with its range. */
  readonly clearnessRange: number;
  /** Standard deviation of the daily mean, K; by day of the year. */
  readonly spread: SeasonalValue;
  /** Standard deviation of the daily clearness; by day of the year. */
  readonly clearnessSpread: SeasonalValue;
  /** Correlation of the day's clearness with its mean temperature; by day of the year. */
  readonly clearnessWarmth: SeasonalValue;
  /** Mean range of a day, K; by day of the year. */
  readonly range: MonthlyCourse;
  /** Mean of the irradiation over that at the top of the atmosphere; by day of the year. */
  readonly clearness: MonthlyCourse;
  /** 1 in the northern half of the earth, -1 in the southern, between at the equator. */
  readonly #half: number;
  readonly #temperature: MonthlyCourse;

  /** The climate of columns (CLIMATE_COLUMNS) at a latitude in degrees. */
  constructor(columns: Float64Array, latitude: number) {
    const half = Math.min(1, Math.max(-1, latitude / SEASONLESS_DEGREES));
    this.#half = half;
    const at = (name: keyof typeof CLIMATE_COLUMNS, index = 0): number =>
      columns[CLIMATE_COLUMNS[name].from + index] ?? 0;
    const calendar = (name: 'temperature' | 'logRange' | 'clearness'): number[] =>
      Array.from({ length: MONTHS }, (_, month) => {
        const turned = at(name, (month + MONTHS / 2) % MONTHS);
        return turned + ((1 + half) / 2) * (at(name, month) - turned);
      });
    const seasonal = (name: 'spread' | 'clearnessSpread' | 'clearnessWarmth', least: number): SeasonalValue =>
      new SeasonalValue(Math.max(least, at(name)), Math.max(least, at(name, 1)), half);
    this.monthlyMeansC = calendar('temperature');
    this.meanC = this.monthlyMeansC.reduce((sum, mean) => sum + mean, 0) / MONTHS;
    this.#temperature = new MonthlyCourse(this.monthlyMeansC);
    this.range = new MonthlyCourse(
      calendar('logRange').map((log) => Math.min(25, Math.max(1, Math.exp(log)))),
    );
    this.clearness = new MonthlyCourse(calendar('clearness').map((k) => Math.min(0.78, Math.max(0.12, k))));
    this.spread = seasonal('spread', 0.4);
    this.clearnessSpread = seasonal('clearnessSpread', 0.04);
    this.clearnessWarmth = seasonal('clearnessWarmth', -0.7);
    this.memory = [Math.min(0.9, Math.max(0, at('memory'))), Math.min(0.85, Math.max(-0.2, at('memory', 1)))];
    this.clearnessMemory = Math.min(0.7, Math.max(-0.1, at('clearnessMemory')));
    this.clearnessRange = Math.min(0.95, Math.max(0, at('clearnessRange')));
    let coldest = Infinity;
    let heatingDays = 0;
    for (let day = 1; day <= YEAR_DAYS; day++) {
      const norm = this.#temperature.atDayOfYear(day);
      coldest = Math.min(coldest, norm - COLDEST_SPREADS * this.spread.at(day));
      if (norm < HEATING_LIMIT) heatingDays++;
    }
    this.designC = coldest - DESIGN_MARGIN;
    this.heatingDays = heatingDays;
  }

  /** Mean temperature of a day of the year, C. */
  normTemperatureAt(dayInYear: number): number {
    return this.#temperature.atDayOfYear(dayInYear);
  }

  /** Mean temperature of a day in the norm year, C. */
  normTemperatureOn(day: number): number {
    return this.normTemperatureAt(dayOfYear(day));
  }

  /** -1 in the middle of winter, 1 in the middle of summer, by the day of the year. */
  warmthAt(dayInYear: number): number {
    return this.#half * northernWarmth(dayInYear);
  }

  /** Temperature of the ground a metre down on a day, C: the norm year damped and late. */
  soilTemperatureOn(day: number): number {
    return this.meanC + SOIL_SHARE * (this.normTemperatureOn(day - SOIL_DELAY_DAYS) - this.meanC);
  }

  /** Mean clearness of a day in the norm year. */
  clearnessOn(day: number): number {
    return this.clearness.atDayOfYear(dayOfYear(day));
  }
}

/** The climate of a place, latitude and longitude in degrees. */
export function climateAt(latitude: number, longitude: number): Climate {
  return new Climate(climateColumnsAt(latitude, longitude), latitude);
}
