/**
 * Writes generated/coast.json, points of all coasts, and generated/climate.json, the fit of climates and the measured
 * sites' departures from it (tools/validate/truth/climate-sites.csv). `node tools/generate/climate.ts [--check]`.
 */
import { fileURLToPath } from 'node:url';
import { coastPoints } from './coast.ts';
import { writeOrCheckFiles } from './files.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../../generated/${name}`, import.meta.url));

async function climateJson(): Promise<string> {
  const { readMeasuredSites } = await import('../validate/climate-sites.ts');
  const { fitClimate } = await import('./climate-fit.ts');
  const { coefficients, sites } = fitClimate(readMeasuredSites());
  const lines = sites.map(({ name, latitude, longitude, heightM, residuals }) =>
    JSON.stringify([name, latitude, longitude, heightM, Array.from(residuals)]),
  );
  return `{"coefficients":${JSON.stringify(Array.from(coefficients))},"sites":[\n${lines.join(',\n')}\n]}\n`;
}

const isCheck = process.argv.includes('--check');
writeOrCheckFiles(
  new Map([[pathOf('coast.json'), `{"points":${JSON.stringify(coastPoints())}}\n`]]),
  isCheck,
);
// The fit measures distances with the file written above.
writeOrCheckFiles(new Map([[pathOf('climate.json'), await climateJson()]]), isCheck);
