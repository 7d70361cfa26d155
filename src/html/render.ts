import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { Response, Router } from 'express';
import { createAssetRoutes, readAsset } from './assets.ts';

const ownFile = (path: string): string => join(import.meta.dirname, path);
const CHART_STYLE = fileURLToPath(import.meta.resolve('uplot/dist/uPlot.min.css'));
const CHART_LIBRARY = fileURLToPath(import.meta.resolve('uplot/dist/uPlot.iife.min.js'));

const STYLES = ['tokens', 'elements', 'components', 'shell', 'charts', 'palette'].map((name) =>
  ownFile(`styles/${name}.css`),
);
const stylesheet = readAsset('portal', 'css', CHART_STYLE, ...STYLES);
const SCRIPTS = ['portal', 'live', 'go-on', 'palette', 'keys'].map((name) => ownFile(`scripts/${name}.js`));
const script = readAsset('portal', 'js', ...SCRIPTS);
/** What pages with charts load besides, in this order. */
const chartScripts = [
  readAsset('uplot', 'js', CHART_LIBRARY),
  readAsset('charts', 'js', ownFile('scripts/charts.js')),
];
const chartPaths = chartScripts.map(({ path }) => path);

const eta = new Eta({ views: join(import.meta.dirname, 'views'), cache: true, autoEscape: true });

/** The HTML of a view in the layout; every `<%= %>` of a view is escaped. */
export function renderView(view: string, data: Readonly<Record<string, unknown>>): string {
  return eta.render(view, { stylesheetPath: stylesheet.path, scriptPath: script.path, chartPaths, ...data });
}

/**
 * Answers with a view in the layout. The layout gets what `response.locals` knows of the visitor: `session`, the portal session
 * if there is one; `shell`, the navigation of who is signed in; `isSignedOut`, that there is none. Where nothing is known, pages
 * lead to the portal.
 */
export function sendView(
  response: Response,
  status: number,
  view: string,
  data: Readonly<Record<string, unknown>>,
): void {
  const { session, shell, isSignedOut } = response.locals as Readonly<Record<string, unknown>>;
  response
    .status(status)
    .type('html')
    .send(renderView(view, { session, shell, isSignedOut, ...data }));
}

/** A router that serves the stylesheet of all pages, and the scripts of those behind the login. */
export function createPageAssetRoutes(): Router {
  return createAssetRoutes([stylesheet, script, ...chartScripts]);
}
