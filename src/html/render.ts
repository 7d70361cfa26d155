import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { Router } from 'express';
import type { Response } from 'express';
import { setSecurityHeaders } from './headers.ts';

const stylesheet = readFileSync(join(import.meta.dirname, 'styles/portal.css'));
const STYLESHEET_PATH = `/assets/portal.${createHash('sha256').update(stylesheet).digest('hex').slice(0, 12)}.css`;

const eta = new Eta({ views: join(import.meta.dirname, 'views'), cache: true, autoEscape: true });

/** The HTML of a view in the layout; every `<%= %>` of a view is escaped. */
export function renderView(view: string, data: Readonly<Record<string, unknown>>): string {
  return eta.render(view, { stylesheetPath: STYLESHEET_PATH, ...data });
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

/** A router that serves the stylesheet under a name that changes with its content, so that browsers may keep it for ever. */
export function createStylesheetRoute(): Router {
  const router = Router({ caseSensitive: true });
  router.get(STYLESHEET_PATH, setSecurityHeaders, (_request, response) => {
    response.set('Cache-Control', 'public, max-age=31536000, immutable').type('css').send(stylesheet);
  });
  return router;
}
