/** The measured sites of tools/validate/truth/climate-sites.csv, as the fit and the validation read them. */
import { readFileSync } from 'node:fs';
import {
  CLIMATE_COLUMNS,
  COLUMN_COUNT,
  LAPSE_RATES,
} from '../../src/simulation/environment/climate-terms.ts';
import { parseCsv } from './csv.ts';

/** A row of the file, texts by column. */
type Row = Readonly<Record<string, string>>;

/** A measured site and its climate. */
export interface MeasuredSite {
  readonly name: string;
  readonly region: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly heightM: number;
  /** Whether its light was measured, and whether its scatter from day to day was. */
  readonly hasLight: boolean;
  /** A number of the file by the name of its column; NaN where there is none. */
  readonly value: (column: string) => number;
  /** The columns of its climate (CLIMATE_COLUMNS) at its own height, in the months of the north. */
  readonly columns: Float64Array;
}

/** Height of a site whose file has none, m. */
const USUAL_HEIGHT = 60;
const MONTHS = Array.from({ length: 12 }, (_, i) => i);
const twoDigits = (month: number): string => String(month + 1).padStart(2, '0');

/** Middle day of each month and its length. */
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const RADIANS = Math.PI / 180;

/** Irradiation of a day of the year (0..364) at the top of the atmosphere on a horizontal plane, kWh/m². */
export function extraterrestrialOn(latitude: number, day: number): number {
  const declination = -23.44 * Math.cos((2 * Math.PI * (day + 10.5)) / 365) * RADIANS;
  const phi = latitude * RADIANS;
  const sunset = Math.acos(Math.min(1, Math.max(-1, -Math.tan(phi) * Math.tan(declination))));
  const mean =
    Math.cos(phi) * Math.cos(declination) * Math.sin(sunset) + sunset * Math.sin(phi) * Math.sin(declination);
  return (24 / Math.PI) * 1.361 * (1 + 0.033 * Math.cos((2 * Math.PI * (day - 2)) / 365)) * mean;
}

/** Irradiation of a month (0..11) at the top of the atmosphere, kWh/m². */
function extraterrestrialKwh(latitude: number, month: number): number {
  const first = MONTH_DAYS.slice(0, month).reduce((sum, days) => sum + days, 0);
  let sum = 0;
  for (let day = first; day < first + (MONTH_DAYS[month] ?? 0); day++)
    sum += extraterrestrialOn(latitude, day);
  return sum;
}

/** Irradiation in kWh/m² below which the clearness of a month is no climate: the sun is hardly up. */
const DARK_MONTH = 3;

function monthlyClearness(latitude: number, value: (column: string) => number): number[] {
  const known = MONTHS.map((month) => {
    const most = extraterrestrialKwh(latitude, month);
    return most < DARK_MONTH ? NaN : value(`GHI${twoDigits(month)}`) / most;
  });
  const lit = known.filter((each) => !Number.isNaN(each));
  const usual = lit.reduce((sum, each) => sum + each, 0) / lit.length;
  return known.map((each) => (Number.isNaN(each) ? usual : each));
}

function readSite(row: Row): MeasuredSite {
  const value = (column: string): number => {
    const text = row[column] ?? '';
    return text === '' ? NaN : Number(text);
  };
  const latitude = value('lat');
  const south = latitude < 0;
  const north = (month: number): number => (south ? (month + 6) % 12 : month);
  const [winter, summer] = south ? ['JJA', 'DJF'] : ['DJF', 'JJA'];
  const columns = new Float64Array(COLUMN_COUNT);
  const set = (name: keyof typeof CLIMATE_COLUMNS, values: readonly number[]): void =>
    columns.set(values, CLIMATE_COLUMNS[name].from);
  const clearness = monthlyClearness(latitude, value);
  const bySeason = (name: string): number[] => {
    const values = [value(`${name}_${winter}`), value(`${name}_${summer}`)];
    return values.map((each) =>
      Number.isNaN(each) ? (values.find((other) => !Number.isNaN(other)) ?? 0) : each,
    );
  };
  set(
    'temperature',
    MONTHS.map((month) => value(`T${twoDigits(north(month))}`)),
  );
  set(
    'logRange',
    MONTHS.map((month) => Math.log(value(`DTR${twoDigits(north(month))}`))),
  );
  set('spread', bySeason('sd_T_deseason'));
  set('memory', [value('ac1_T'), value('ac2_T')]);
  set(
    'clearness',
    MONTHS.map((month) => clearness[north(month)] ?? 0),
  );
  set('clearnessSpread', bySeason('Ksd'));
  set('clearnessMemory', [value('ac1_K_deseason')]);
  set('clearnessWarmth', bySeason('r_K_Tmean'));
  set('clearnessRange', [value('r_K_DTR_deseason')]);
  return {
    name: row['site'] ?? '',
    region: row['region'] ?? '',
    latitude,
    longitude: value('lon'),
    heightM: Number.isNaN(value('elev_m')) ? USUAL_HEIGHT : value('elev_m'),
    hasLight: row['quality'] === '' && row['clearness_usable'] === '1',
    value,
    columns,
  };
}

/** Temperatures of a site's months as they would be at the sea. */
export function toSeaLevel(columns: Float64Array, heightM: number): Float64Array {
  const { from } = CLIMATE_COLUMNS.temperature;
  return columns.map((value, column) => {
    const lapse = LAPSE_RATES[column - from];
    return lapse === undefined ? value : value + (lapse * heightM) / 1000;
  });
}

/** All sites of the file. */
export function readMeasuredSites(): MeasuredSite[] {
  const path = new URL('truth/climate-sites.csv', import.meta.url);
  return parseCsv(readFileSync(path, 'utf8')).map(readSite);
}
