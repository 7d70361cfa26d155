/** The figures of simulated weather that the table of sites has of measured weather, computed alike. */
import { DAY_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import type { SiteWeather } from '../../src/simulation/environment/weather.ts';
import { extraterrestrialOn } from './climate-sites.ts';
import { autocorrelation, correlation, deseasonalised, deviation, mean, sum } from './statistics.ts';

const YEARS = Array.from({ length: 10 }, (_, i) => 2016 + i);
const YEAR_DAYS = 365;
const HOURS = 24;
/** Months of winter and summer as the table's columns name them, by the calendar. */
const SEASONS = { DJF: [11, 0, 1], JJA: [5, 6, 7] } as const;
type Season = keyof typeof SEASONS;
/** Extraterrestrial irradiation in kWh/m² above which a day's clearness counts. */
const LEAST_TOP = 0.5;

/** Means over ten years, but the extremes, which are those of all. */
export interface WeatherFigures {
  readonly temperatures: readonly number[];
  readonly ranges: readonly number[];
  readonly irradiations: readonly number[];
  readonly coldest: number;
  readonly coldestDay: number;
  readonly warmest: number;
  readonly memory: number;
  readonly spread: Readonly<Record<Season, number>>;
  readonly clearness: Readonly<Record<Season, number>>;
  readonly clearnessSpread: Readonly<Record<Season, number>>;
  readonly clearnessWarmth: Readonly<Record<Season, number>>;
  readonly clearnessMemory: number;
  readonly clearnessRange: number;
}

interface Day {
  readonly month: number;
  readonly mean: number;
  readonly least: number;
  readonly most: number;
  readonly kwh: number;
  /** NaN where the sun hardly rises. */
  readonly clearness: number;
}

/** The local days of a year, by hours of the standard time that the longitude has. */
function daysOf(weather: SiteWeather, year: number, latitude: number, longitude: number): Day[] {
  const offset = Math.round(longitude / 15) * 4;
  const first = Date.UTC(year, 0, 1) / DAY_MS;
  const air = new Float64Array((YEAR_DAYS + 2) * QUARTER_HOURS_PER_DAY);
  const light = new Float64Array(air.length);
  for (let day = -1; day <= YEAR_DAYS; day++) {
    air.set(weather.airTemperaturesOn(first + day), (day + 1) * QUARTER_HOURS_PER_DAY);
    light.set(weather.irradianceOn(first + day).global, (day + 1) * QUARTER_HOURS_PER_DAY);
  }
  return Array.from({ length: YEAR_DAYS }, (_, day) => {
    const start = (day + 1) * QUARTER_HOURS_PER_DAY - offset;
    const hours = Array.from({ length: HOURS }, (_, hour) =>
      mean(Array.from(air.subarray(start + 4 * hour, start + 4 * hour + 4))),
    );
    const kwh = sum(Array.from(light.subarray(start, start + QUARTER_HOURS_PER_DAY))) / 4000;
    const top = extraterrestrialOn(latitude, day);
    return {
      month: new Date((first + day) * DAY_MS).getUTCMonth(),
      mean: mean(hours),
      least: Math.min(...hours),
      most: Math.max(...hours),
      kwh,
      clearness: top > LEAST_TOP ? kwh / top : NaN,
    };
  });
}

type YearFigures = Omit<
  WeatherFigures,
  'temperatures' | 'ranges' | 'irradiations' | 'coldest' | 'coldestDay' | 'warmest'
>;

function figuresOfYear(days: readonly Day[]): YearFigures {
  const anomalies = deseasonalised(days.map((day) => day.mean));
  const ranges = deseasonalised(days.map(({ most, least }) => most - least));
  const lit = days.flatMap(({ clearness }, i) => (Number.isNaN(clearness) ? [] : [i]));
  const usual = mean(lit.map((i) => days[i]?.clearness ?? 0));
  const filled = days.map(({ clearness }) => (Number.isNaN(clearness) ? usual : clearness));
  const skies = deseasonalised(filled);
  const pick = (values: readonly number[], indexes: readonly number[]) => indexes.map((i) => values[i] ?? 0);
  const bySeason = (of: (indexes: readonly number[]) => number, litOnly: boolean): Record<Season, number> => {
    const within = (season: Season) => {
      const months: readonly number[] = SEASONS[season];
      const all = days.flatMap(({ month }, i) => (months.includes(month) ? [i] : []));
      return of(litOnly ? all.filter((i) => !Number.isNaN(days[i]?.clearness)) : all);
    };
    return { DJF: within('DJF'), JJA: within('JJA') };
  };
  return {
    memory: autocorrelation(anomalies, 1),
    spread: bySeason((indexes) => deviation(pick(anomalies, indexes)), false),
    clearness: bySeason((indexes) => mean(pick(filled, indexes)), true),
    clearnessSpread: bySeason((indexes) => deviation(pick(filled, indexes)), true),
    clearnessWarmth: bySeason((indexes) => correlation(pick(skies, indexes), pick(anomalies, indexes)), true),
    clearnessMemory: autocorrelation(pick(skies, lit), 1),
    clearnessRange: correlation(pick(skies, lit), pick(ranges, lit)),
  };
}

/** Figures of ten years of weather at a place in degrees. */
export function weatherFigures(weather: SiteWeather, latitude: number, longitude: number): WeatherFigures {
  const years = YEARS.map((year) => daysOf(weather, year, latitude, longitude));
  const days = years.flat();
  const byMonth = (of: (day: Day) => number) =>
    Array.from({ length: 12 }, (_, month) => mean(days.filter((day) => day.month === month).map(of)));
  const figures = years.map(figuresOfYear);
  const average = (of: (year: YearFigures) => number) => mean(figures.map(of));
  const seasonal = (name: 'spread' | 'clearness' | 'clearnessSpread' | 'clearnessWarmth') => ({
    DJF: average((year) => year[name].DJF),
    JJA: average((year) => year[name].JJA),
  });
  const lengths = Array.from(
    { length: 12 },
    (_, month) => days.filter((day) => day.month === month).length / YEARS.length,
  );
  return {
    temperatures: byMonth((day) => day.mean),
    ranges: byMonth(({ most, least }) => most - least),
    irradiations: byMonth(({ kwh }) => kwh).map((kwh, month) => kwh * (lengths[month] ?? 0)),
    coldestDay: Math.min(...days.map((day) => day.mean)),
    coldest: Math.min(...days.map(({ least }) => least)),
    warmest: Math.max(...days.map(({ most }) => most)),
    memory: average(({ memory }) => memory),
    spread: seasonal('spread'),
    clearness: seasonal('clearness'),
    clearnessSpread: seasonal('clearnessSpread'),
    clearnessWarmth: seasonal('clearnessWarmth'),
    clearnessMemory: average(({ clearnessMemory }) => clearnessMemory),
    clearnessRange: average(({ clearnessRange }) => clearnessRange),
  };
}
