import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { Response, Router } from 'express';
import { createAsset, createAssetRoutes, readAsset } from './assets.ts';
import type { CreateSender } from './assets.ts';
import { joinModules } from './modules.ts';

const ownFile = (path: string): string => join(import.meta.dirname, path);

const STYLES = [
  fileURLToPath(import.meta.resolve('uplot/dist/uPlot.min.css')),
  fileURLToPath(import.meta.resolve('leaflet/dist/leaflet.css')),
  ...['tokens', 'elements', 'components', 'shell', 'charts', 'palette', 'map'].map((name) =>
    ownFile(`styles/${name}.css`),
  ),
];
const stylesheet = readAsset('portal', 'css', ...STYLES);
const SCRIPTS = ['portal', 'live', 'go-on', 'palette', 'keys'].map((name) => ownFile(`scripts/${name}.js`));
const script = createAsset('portal', 'js', Buffer.concat(SCRIPTS.map(joinModules)));
const eventsScript = createAsset('events', 'js', joinModules(ownFile('scripts/events.js')));
/** What pages with charts load besides, in this order. */
const chartScripts = [
  readAsset('uplot', 'js', fileURLToPath(import.meta.resolve('uplot/dist/uPlot.iife.min.js'))),
  readAsset('charts', 'js', ownFile('scripts/charts.js')),
];
const chartPaths = chartScripts.map(({ path }) => path);

/** What pages with a map load before their own script, and the borders, which it asks for. */
const mapLibrary = readAsset('leaflet', 'js', fileURLToPath(import.meta.resolve('leaflet/dist/leaflet.js')));
const countries = readAsset('countries', 'json', ownFile('../../generated/countries.json'));
const mapScript = (name: string) => createAsset(name, 'js', joinModules(ownFile(`scripts/${name}/main.js`)));
/** The script of each page with a map, which a view names as `map`. */
const mapScripts = { 'fleet-form': mapScript('fleet-form'), 'fleet-map': mapScript('fleet-map') };
const maps = {
  library: mapLibrary.path,
  countries: countries.path,
  scripts: Object.fromEntries(Object.entries(mapScripts).map(([name, { path }]) => [name, path])),
};

/** What the page that tries the API out loads besides. */
const explorerFiles = {
  stylesheet: readAsset(
    'explorer',
    'css',
    fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css')),
    ownFile('styles/explorer.css'),
  ),
  library: readAsset(
    'swagger-ui',
    'js',
    fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  ),
  script: readAsset('explorer', 'js', ownFile('scripts/explorer.js')),
};
const explorer = Object.fromEntries(Object.entries(explorerFiles).map(([name, { path }]) => [name, path]));

const eta = new Eta({ views: join(import.meta.dirname, 'views'), cache: true, autoEscape: true });

/** The HTML of a view in the layout; every `<%= %>` of a view is escaped. */
export function renderView(view: string, data: Readonly<Record<string, unknown>>): string {
  return eta.render(view, {
    stylesheetPath: stylesheet.path,
    scriptPath: script.path,
    chartPaths,
    maps,
    explorer,
    eventsScript: eventsScript.path,
    ...data,
  });
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

/** A router that serves the stylesheet of all pages, and the scripts of those behind the login; compressed, if it is given how. */
export function createPageAssetRoutes(createSender?: CreateSender): Router {
  const ofMaps = [mapLibrary, countries, ...Object.values(mapScripts)];
  const ofExplorer = Object.values(explorerFiles);
  const assets = [stylesheet, script, eventsScript, ...chartScripts, ...ofMaps, ...ofExplorer];
  return createAssetRoutes(assets, createSender);
}
