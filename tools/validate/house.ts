/** Rows 19 to 21: heat pumps, hot water and indoor temperatures against measured homes; and batteries. */
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { measureBatteries } from './batteries.ts';
import { drawPerformance } from './heat-pump-performance.ts';
import { shapeRows } from './heat-pump-shape.ts';
import { measureHotWater, measurePlace } from './heat-pump-years.ts';
import type { Place, PlaceYear } from './heat-pump-years.ts';
import { drawHouses } from './house-charts.ts';
import type { Picture } from './picture.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { mean, quantile, sum } from './statistics.ts';
import { measureSteeredBatteries } from './steered-batteries.ts';
import { measureSteeredHeat } from './steered-heat.ts';
import { summerRows } from './summer-rooms.ts';
import type { SummerDay } from './summer-rooms.ts';

/** Largest power of a quarter hour on the days whose mean temperature is asked for, W. */
function largestQuarter(
  powerW: Float64Array,
  dayMeansC: Float64Array,
  isAsked: (meanC: number) => boolean,
): number {
  let highest = 0;
  for (const [i, power] of powerW.entries()) {
    if (isAsked(dayMeansC[Math.floor(i / QUARTER_HOURS_PER_DAY)] ?? 0)) highest = Math.max(highest, power);
  }
  return highest;
}

function pumpRows(place: Place, letter: string, { pumps, powerW, dayMeansC }: PlaceYear): Row[] {
  const air = pumps.filter(({ household }) => household.heat_pump.source === 'air');
  const most = (days: (meanC: number) => boolean): number =>
    largestQuarter(powerW, dayMeansC, days) / pumps.length / 1000;
  const known = (part: string, figure: string, truth: string, source: string) => ({
    id: `19${letter}${part}`,
    figure: `${place}: ${figure}`,
    truth,
    source,
  });
  const field = 'heatpumpmonitor.org, 302 systems';
  return [
    rowWithin(
      known('1', 'seasonal performance factor, air', '2.8 to 4.0', `Electrification of Heat, 742; ${field}`),
      sum(air.map(({ heatKwh }) => heatKwh)) / sum(air.map(({ electricKwh }) => electricKwh)),
      [2.6, 4],
    ),
    rowWithin(
      known('2', 'electricity of a year, median, kWh', '3,360 (2,020 to 5,770), UK', field),
      quantile(
        pumps.map(({ electricKwh }) => electricKwh),
        0.5,
      ),
      [3000, 5500],
      0,
    ),
    rowWithin(
      known(
        '3',
        'largest quarter hour of 100, a pump, kW',
        '1.7 in a mild British winter',
        'RHPP, 700 sites',
      ),
      most(() => true),
      [1.9, 3.5],
    ),
    rowWithin(
      known('4', 'the same on days of -3 to -1 C, kW', '1.7', 'RHPP, 700 sites'),
      most((meanC) => meanC >= -3 && meanC <= -1),
      [1.4, 2.3],
    ),
    rowWithin(
      known('5', 'part of the year that it runs, median', '0.41 (0.26 to 0.56)', field),
      quantile(
        pumps.map(({ runShare }) => runShare),
        0.5,
      ),
      [0.25, 0.6],
    ),
    rowWithin(
      known('6', 'starts an hour, median', '0.27 (0.13 to 0.58)', field),
      quantile(
        pumps.map(({ startsAnHour }) => startsAnHour),
        0.5,
      ),
      [0.13, 0.58],
    ),
  ];
}

function comfortRows(place: Place, { pumps }: PlaceYear): Row[] {
  const source = 'heatpumpmonitor.org, 232 homes';
  const indoor = pumps.map(({ indoorC }) => indoorC);
  const spread = Math.sqrt(mean(indoor.map((each) => (each - mean(indoor)) ** 2)));
  const known = (part: string, figure: string, truth: string) => ({
    id: `21${part}`,
    figure: `${place}: ${figure}`,
    truth,
    source,
  });
  return [
    rowWithin(
      known('a', 'heating quarter hours inside the comfort band, %', 'comfort less set-back -1 to +3 K'),
      100 * mean(pumps.map(({ comfortShare }) => comfortShare)),
      [99.5, 100],
    ),
    rowWithin(
      known('b', 'indoor temperature on heating days, mean of homes, C', '20.6'),
      mean(indoor),
      [20, 21.4],
    ),
    rowWithin(known('c', 'its spread between homes, K', '1.3'), spread, [1, 1.6]),
  ];
}

function waterRows(): Row[] {
  const [oslo, vienna, singapore] = (['Oslo', 'Vienna', 'Singapore'] as const).map(measureHotWater) as [
    number,
    number,
    number,
  ];
  const source = 'heatpumpmonitor.org, 162 systems (UK)';
  const known = (part: string, figure: string, truth: string) => ({ id: `20${part}`, figure, truth, source });
  return [
    rowWithin(known('a', 'Oslo: hot water drawn in a year, kWh', '1,940 with losses'), oslo, [1000, 3000], 0),
    rowWithin(known('b', 'Vienna: the same, kWh', '1,940 with losses'), vienna, [1000, Math.round(oslo)], 0),
    rowWithin(known('c', 'Singapore over Oslo', 'warm mains: .39 by arithmetic'), singapore / oslo, [0, 0.5]),
  ];
}

function groundRow(place: Place, letter: string, { pumps }: PlaceYear): Row {
  const ground = pumps.filter(({ household }) => household.heat_pump.source === 'ground');
  return rowWithin(
    {
      id: `19${letter}7`,
      figure: `${place}: seasonal performance factor, ground`,
      truth: 'air and about .7',
      source: 'field tests of Fraunhofer ISE',
    },
    sum(ground.map(({ heatKwh }) => heatKwh)) / sum(ground.map(({ electricKwh }) => electricKwh)),
    [3.3, 4.6],
  );
}

const summerDaysOf = ({ pumps }: PlaceYear): SummerDay[] => pumps.flatMap(({ summerDays }) => summerDays);

/** Computed once for rows and pictures. */
let knownBerlin: PlaceYear | undefined;
const berlin = (): PlaceYear => (knownBerlin ??= measurePlace('Berlin'));
let knownBatteries: ReturnType<typeof measureBatteries> | undefined;
const batteries = (): ReturnType<typeof measureBatteries> => (knownBatteries ??= measureBatteries());

/** The rows of heat pumps, hot water, indoor temperatures and batteries; takes some seconds. */
export function measure(): Promise<Row[]> {
  const vienna = measurePlace('Vienna');
  return Promise.resolve([
    ...pumpRows('Berlin', 'a', berlin()),
    groundRow('Berlin', 'a', berlin()),
    ...shapeRows('Berlin', 'a', berlin()),
    ...pumpRows('Vienna', 'b', vienna),
    groundRow('Vienna', 'b', vienna),
    ...shapeRows('Vienna', 'b', vienna),
    ...waterRows(),
    ...comfortRows('Berlin', berlin()),
    ...summerRows('Berlin', 'd', summerDaysOf(berlin())),
    ...summerRows('Oslo', 'e', summerDaysOf(measurePlace('Oslo'))),
    ...measureSteeredHeat(),
    ...batteries().rows,
    ...measureSteeredBatteries(),
  ]);
}

/** The pictures of houses with heat pumps and of a battery. */
export const draw = (): Picture[] => [
  ...drawHouses(berlin()),
  drawPerformance(),
  {
    name: 'state-of-charge',
    words:
      'Lines: the state of charge of a battery through a week in March, in June and in December; in June it is full on most days and carries the evening, in December it hardly fills.',
    charts: [batteries().chart],
  },
];
