import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { renderView } from '../html/render.ts';

/** Charts that `make validate` draws, in the order of the page, with what they show in words. */
const CHARTS = {
  'pv-yield': 'Bars: the yield of simulated panels beside published yields, in six countries.',
  'load-by-season':
    'Lines: the mean load by hour in winter, spring or autumn, and summer, on top of the norm profile.',
  'ev-starts': 'Bars: the share of charging sessions that start in each hour, highest in the early evening.',
  'heat-pump-cop':
    'Lines: the coefficient of performance of heat pumps with air and ground source by outdoor temperature, highest around 10 degrees.',
  'state-of-charge':
    'Lines: the state of charge of a battery through a week in March, in June and in December.',
} as const;

const FOLDER = join(import.meta.dirname, '../../generated/validation');

/** The page of the simulator's targets with the values reached, and its charts. The files are read once. */
export function createSimulationFidelityPages(): Router {
  const checks: unknown = JSON.parse(readFileSync(join(FOLDER, 'report.json'), 'utf8'));
  const page = renderView('simulator', { checks, charts: Object.entries(CHARTS), wide: true });
  const router = Router({ caseSensitive: true });
  router.get('/', (_request, response) => void response.type('html').send(page));
  for (const name of Object.keys(CHARTS)) {
    const chart = readFileSync(join(FOLDER, `${name}.svg`));
    router.get(`/${name}.svg`, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=3600').type('svg').send(chart);
    });
  }
  return router;
}
