// Measures the simulator against what was measured in the world, prints every figure and writes the pictures; exits 1 when a
// figure is missed.
import { drawChart } from '../fidelity/charts.ts';
import { writeOrCheckFiles } from '../generate/files.ts';
import { measurePlace } from './heat-pump-years.ts';
import { houseCharts } from './house-charts.ts';
import { measure as measureHouse } from './house.ts';

const rows = await measureHouse();
for (const { id, figure, measured, accept, verdict } of rows)
  console.log(
    `${id.padEnd(5)} ${figure.padEnd(62)} ${measured.padStart(8)}  ${accept.padEnd(14)} ${verdict}`,
  );
const charts = Object.entries(houseCharts(measurePlace('Berlin')));
writeOrCheckFiles(
  new Map(charts.map(([name, chart]) => [`docs/validation/${name}`, drawChart(chart)])),
  false,
);
if (rows.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;
