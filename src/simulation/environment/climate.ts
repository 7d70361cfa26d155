/** The climate of a place: what its months and seasons are like, without the weather of a day (docs/simulation.md#weather). */
import { BoundedCache } from '../kernel/bounded-cache.ts';
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
/**
 * How far the tail of daily means leans: cold spells reach further out than warm ones in winter, less so where winters vary
 * most and are as cold as they can get; in summer heat comes from the land to places by the sea, whose
 * days are narrow and much alike.
 */
const WINTER_SKEW = -0.15;
const WINTER_SKEW_PER_K = 0.06;
const USUAL_WINTER_SPREAD = 4;
const MOST_WINTER_SKEW = 0.1;
const INLAND_RANGE = 9.5;
const SKEW_PER_RANGE = 0.08;
const INLAND_SPREAD = 2.2;
const SKEW_PER_SPREAD = 0.25;
const MOST_SUMMER_SKEW = 0.35;

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

const winterSkew = (spread: number): number =>
  Math.min(MOST_WINTER_SKEW, WINTER_SKEW + WINTER_SKEW_PER_K * Math.max(0, spread - USUAL_WINTER_SPREAD));

const summerSkew = (spread: number, range: number): number =>
  Math.min(
    MOST_SUMMER_SKEW,
    SKEW_PER_RANGE * Math.max(0, INLAND_RANGE - range) +
      SKEW_PER_SPREAD * Math.max(0, INLAND_SPREAD - spread),
  );

/** What the weather of a place is drawn around. Days count since 1970, unless they are called days of the year, 1..366. */
export class Climate {
  /** Mean temperature of the twelve months of the calendar, C. */
  readonly monthlyMeansC: Float64Array;
  /** Mean of the year, C. */
  readonly meanC: number;
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
  /** Quadratic term of the departures from the daily mean; by day of the year. */
  readonly skew: SeasonalValue;
  /** Mean range of a day, K; by day of the year. */
  readonly range: MonthlyCourse;
  /** Mean of the irradiation over that at the top of the atmosphere; by day of the year. */
  readonly clearness: MonthlyCourse;
  readonly #temperature: MonthlyCourse;
  /** Computed when it is asked for: only those who build heat pumps do. */
  #designC = NaN;

  /** The climate of columns (CLIMATE_COLUMNS) at a latitude in degrees. */
  constructor(columns: Float64Array, latitude: number) {
    const half = Math.min(1, Math.max(-1, latitude / SEASONLESS_DEGREES));
    const at = (name: keyof typeof CLIMATE_COLUMNS, index = 0): number =>
      columns[CLIMATE_COLUMNS[name].from + index] ?? 0;
    const isNorth = (1 + half) / 2;
    const calendar = (name: 'temperature' | 'logRange' | 'clearness'): Float64Array => {
      const { from } = CLIMATE_COLUMNS[name];
      const months = new Float64Array(MONTHS);
      for (let month = 0; month < MONTHS; month++) {
        const turned = columns[from + ((month + MONTHS / 2) % MONTHS)] ?? 0;
        months[month] = turned + isNorth * ((columns[from + month] ?? 0) - turned);
      }
      return months;
    };
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
    this.skew = new SeasonalValue(
      winterSkew(Math.max(0.4, at('spread'))),
      summerSkew(at('spread', 1), Math.exp((at('logRange', 5) + at('logRange', 6) + at('logRange', 7)) / 3)),
      half,
    );
    this.clearnessSpread = seasonal('clearnessSpread', 0.04);
    this.clearnessWarmth = seasonal('clearnessWarmth', -0.7);
    this.memory = [Math.min(0.9, Math.max(0, at('memory'))), Math.min(0.85, Math.max(-0.2, at('memory', 1)))];
    this.clearnessMemory = Math.min(0.7, Math.max(-0.1, at('clearnessMemory')));
    this.clearnessRange = Math.min(0.95, Math.max(0, at('clearnessRange')));
  }

  /** Coldest daily mean to be expected in about ten years, less half a kelvin, C. */
  get designC(): number {
    if (Number.isNaN(this.#designC)) {
      let coldest = Infinity;
      for (let day = 1; day <= YEAR_DAYS; day++) {
        coldest = Math.min(
          coldest,
          this.#temperature.atDayOfYear(day) - COLDEST_SPREADS * this.spread.at(day),
        );
      }
      this.#designC = coldest - DESIGN_MARGIN;
    }
    return this.#designC;
  }

  /** Mean temperature of a day of the year, C. */
  normTemperatureAt(dayInYear: number): number {
    return this.#temperature.atDayOfYear(dayInYear);
  }

  /** Mean temperature of a day in the norm year, C. */
  normTemperatureOn(day: number): number {
    return this.normTemperatureAt(dayOfYear(day));
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

interface KnownClimate {
  readonly latitude: number;
  readonly longitude: number;
  readonly climate: Climate;
}

/** Climates asked for last: a household's pump, panels and preview ask for the same. */
const KNOWN_CLIMATES = 1024;
/** By a number that two places hardly share; if they do, the later one is made anew each time. */
const known = new BoundedCache<number, KnownClimate>(KNOWN_CLIMATES);

/** The climate of a place, latitude and longitude in degrees. */
export function climateAt(latitude: number, longitude: number): Climate {
  const create = (): KnownClimate => ({
    latitude,
    longitude,
    climate: new Climate(climateColumnsAt(latitude, longitude), latitude),
  });
  const found = known.getOrCompute(latitude * 1e6 + longitude, create);
  return found.latitude === latitude && found.longitude === longitude ? found.climate : create().climate;
}
