/** What the rows of weather ask of each site: its months, seasons, memory and light. */
import type { MeasuredSite } from './climate-sites.ts';
import type { Row } from './row.ts';
import { mean } from './statistics.ts';
import type { WeatherFigures } from './weather-figures.ts';

export const SITES_SOURCE = 'hourly years of 86 sites, truth/climate-sites.csv';

/** A site with the weather of its own climate, or of one that was fitted without it. */
export interface Simulated {
  readonly site: MeasuredSite;
  readonly figures: WeatherFigures;
}

const monthName = (prefix: string, month: number): string => `${prefix}${String(month + 1).padStart(2, '0')}`;
export const truthOf = (site: MeasuredSite, prefix: string): number[] =>
  Array.from({ length: 12 }, (_, month) => site.value(monthName(prefix, month)));

/**
 * What a row asks of a site: whether its figure is near enough, or each of its months is; undefined where the site has no such
 * figure.
 */
interface SiteTest {
  readonly id: string;
  readonly figure: string;
  readonly accept: string;
  /** Shares of sites that are wanted, with their own climate and left out of the fit. */
  readonly share: number;
  readonly leftOutShare: number;
  readonly isMet: (simulated: Simulated) => boolean | readonly boolean[] | undefined;
  /** What is counted of the sites, where it is not the sites. */
  readonly counted?: string;
}

const isNear = (value: number, truth: number, tolerance: number): boolean | undefined =>
  Number.isNaN(truth) ? undefined : Math.abs(value - truth) <= tolerance;
const isWithin = (value: number, truth: number, part: number): boolean | undefined =>
  isNear(value, truth, part * Math.abs(truth));

/** The relative errors of months whose truth is over `least`. */
const monthlyErrors = (values: readonly number[], truths: readonly number[], least: number): number[] =>
  truths.flatMap((truth, i) => (truth > least ? [Math.abs((values[i] ?? 0) / truth - 1)] : []));

/** Least irradiation of a month that counts, kWh/m². */
const LEAST_MONTH_KWH = 10;

/** The test of a figure of light: undefined where light was not measured. */
const ofLight =
  <Rest extends unknown[]>(test: (simulated: Simulated, ...rest: Rest) => boolean | undefined) =>
  (simulated: Simulated, ...rest: Rest): boolean | undefined =>
    simulated.site.hasLight ? test(simulated, ...rest) : undefined;

/** Shares wanted of sites with their own climate and of sites left out of the fit. */
const SHARES = { share: 0.8, leftOutShare: 0.65 };
const MONTHS_OF = { DJF: 'December to February', JJA: 'June to August' } as const;

/** A figure of each season, and, read strictly, of both at once. */
function seasonalTests(
  id: string,
  figure: string,
  accept: string,
  isSeasonMet: (simulated: Simulated, season: keyof typeof MONTHS_OF) => boolean | undefined,
): SiteTest[] {
  const seasons = (['DJF', 'JJA'] as const).map((season) => ({
    id: `${id} ${season}`,
    figure: `${figure}, ${MONTHS_OF[season]} alone`,
    isMet: (simulated: Simulated) => isSeasonMet(simulated, season),
  }));
  const both: SiteTest['isMet'] = (simulated) => {
    const results = seasons.map(({ isMet }) => isMet(simulated));
    return results.includes(undefined) ? undefined : results.every(Boolean);
  };
  return [
    ...seasons.map((season) => ({ ...season, ...SHARES, accept })),
    { id: `${id} both`, figure: `${figure}, both seasons at once (strict)`, accept, ...SHARES, isMet: both },
  ];
}

/** A figure of each month: the mean of a site's errors, and, read strictly, each month of each site for itself. */
function monthlyTests(
  id: string,
  figure: string,
  accept: string,
  tolerance: number,
  errorsOf: (simulated: Simulated) => readonly number[],
): SiteTest[] {
  return [
    {
      id,
      figure: `${figure} by month, mean of a site's errors`,
      accept,
      ...SHARES,
      isMet: (simulated) => {
        const errors = errorsOf(simulated);
        return errors.length === 0 ? undefined : mean(errors) <= tolerance;
      },
    },
    {
      id: `${id} months`,
      figure: `${figure}, each month for itself (strict)`,
      accept,
      ...SHARES,
      isMet: (simulated) => errorsOf(simulated).map((error) => error <= tolerance),
      counted: 'months of ',
    },
  ];
}

const SITE_TESTS: readonly SiteTest[] = [
  { id: '2', figure: 'Autocorrelation of the daily mean after a day', accept: 'within .12', share: 0.8, leftOutShare: 0.85,
    isMet: ({ site, figures }) => isNear(figures.memory, site.value('ac1_T'), 0.12) },
  ...seasonalTests('3', 'Spread of the daily mean', 'within 25 %', ({ site, figures }, season) =>
    isWithin(figures.spread[season], site.value(`sd_T_deseason_${season}`), 0.25)),
  ...monthlyTests('5', 'Daily range', 'within 25 %', 0.25, ({ site, figures }) =>
    monthlyErrors(figures.ranges, truthOf(site, 'DTR'), 0)),
  ...monthlyTests('6a', 'Irradiation', 'within 15 %', 0.15, ({ site, figures }) =>
    site.hasLight ? monthlyErrors(figures.irradiations, truthOf(site, 'GHI'), LEAST_MONTH_KWH) : []),
  ...seasonalTests('7a', 'Mean daily clearness', 'within .05', ofLight(({ site, figures }, season) =>
    isNear(figures.clearness[season], site.value(`Kmean_${season}`), 0.05))),
  ...seasonalTests('7b', 'Spread of the daily clearness', 'within 30 %', ofLight(({ site, figures }, season) =>
    isWithin(figures.clearnessSpread[season], site.value(`Ksd_${season}`), 0.3))),
  { id: '7c', figure: 'Autocorrelation of the daily clearness after a day', accept: 'within .2', ...SHARES,
    isMet: ofLight(({ site, figures }) => isNear(figures.clearnessMemory, site.value('ac1_K_deseason'), 0.2)) },
  { id: '7d', figure: 'Correlation of clearness and daily range', accept: 'within .2', ...SHARES,
    isMet: ofLight(({ site, figures }) => isNear(figures.clearnessRange, site.value('r_K_DTR_deseason'), 0.2)) },
  ...seasonalTests('7e', 'Correlation of clearness and temperature', 'within .2', ofLight(({ site, figures }, season) =>
    isNear(figures.clearnessWarmth[season], site.value(`r_K_Tmean_${season}`), 0.2))),
]; // prettier-ignore

function shareRow(test: SiteTest, simulated: readonly Simulated[], isOwn: boolean): Row {
  const results = simulated.flatMap((its) => test.isMet(its) ?? []);
  const share = results.filter(Boolean).length / results.length;
  const wanted = isOwn ? test.share : test.leftOutShare;
  return {
    id: `${test.id} ${isOwn ? 'own' : 'left out'}`,
    figure: `${test.figure}: ${test.counted ?? ''}sites ${isOwn ? 'with their own climate' : 'left out of the fit'}, of ${results.length}`,
    truth: 'the site, one year',
    source: SITES_SOURCE,
    measured: `${Math.round(100 * share)} %`,
    accept: `${test.accept} at ${Math.round(100 * wanted)} %`,
    verdict: share >= wanted ? 'met' : 'missed',
  };
}

/** A row for each test of the sites with their own climate, and of those left out of the fit. */
export const siteRows = (own: readonly Simulated[], leftOut: readonly Simulated[]): Row[] =>
  SITE_TESTS.flatMap((test) => [shareRow(test, own, true), shareRow(test, leftOut, false)]);
