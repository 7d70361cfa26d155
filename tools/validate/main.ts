// Measures the simulator against what was measured in the world, prints every figure and writes the pictures; exits 1 when a
// figure is missed.
import { drawChart } from '../fidelity/charts.ts';
import { writeOrCheckFiles } from '../generate/files.ts';
import * as cars from './cars.ts';
import { measurePlace } from './heat-pump-years.ts';
import { houseCharts } from './house-charts.ts';
import * as house from './house.ts';
import * as people from './people.ts';
import * as weather from './weather.ts';

const rows = (await Promise.all([weather, people, cars, house].map((part) => part.measure()))).flat();
for (const { id, figure, measured, accept, verdict } of rows)
  console.log(
    `${id.padEnd(20)} ${figure.padEnd(100)} ${measured.padStart(8)}  ${accept.padEnd(14)} ${verdict}`,
  );
const charts = Object.entries(houseCharts(measurePlace('Berlin'))).map(
  ([name, chart]) => [name, drawChart(chart)] as const,
);
const drawn = [weather, people, cars].flatMap((part) => Object.entries(part.draw()));
writeOrCheckFiles(
  new Map([...charts, ...drawn].map(([name, text]) => [`docs/validation/${name}`, text])),
  false,
);
if (rows.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;
