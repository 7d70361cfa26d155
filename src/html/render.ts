import { join } from 'node:path';
import { Eta } from 'eta';
import type { Response, Router } from 'express';
import { createAssetRoutes, readAsset } from './assets.ts';

const stylesheet = readAsset('portal', 'css', join(import.meta.dirname, 'styles/portal.css'));

const eta = new Eta({ views: join(import.meta.dirname, 'views'), cache: true, autoEscape: true });

/** The HTML of a view in the layout; every `<%= %>` of a view is escaped. */
export function renderView(view: string, data: Readonly<Record<string, unknown>>): string {
  return eta.render(view, { stylesheetPath: stylesheet.path, ...data });
}

/**
 * Answers with a view in the layout. The layout gets the portal session of `response.locals`, if there is one, and with it
 * navigation, log-out form and CSRF token.
 */
export function sendView(
  response: Response,
  status: number,
  view: string,
  data: Readonly<Record<string, unknown>>,
): void {
  const session: unknown = response.locals['session'];
  response
    .status(status)
    .type('html')
    .send(renderView(view, { session, ...data }));
}

/** A router that serves the stylesheet of all pages. */
export function createStylesheetRoute(): Router {
  return createAssetRoutes([stylesheet]);
}
