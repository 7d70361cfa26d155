import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The scheme and the host of the absolute form (RFC 9112, 3.2.2), which every server has to take. */
const ORIGIN_PATTERN = /^https?:\/\/[^/?#]*/i;
/** A path and a query have no fragment and no white space (RFC 9112, 3.2.1): with these Node.js reads a host in them. */
const PATH_PATTERN = /^\/[^#\s]*$/;

/** As Express is called where somebody else takes what its layers leave. */
type Listener = (request: IncomingMessage, response: ServerResponse, isLeft: () => void) => void;

const WITHOUT_PATH = new WeakSet<IncomingMessage>();

/** Whether the target of a request names no path: it is `/` for the app, which refuses it. */
export function isWithoutPath(request: IncomingMessage): boolean {
  return WITHOUT_PATH.has(request);
}

/**
 * Shows an app the path and query of each target, whatever its form. Where Express cannot read a target it passes by all layers of an app,
 * limits and log among them, and answers by itself once the body has come, which may be never: such a target is not shown to it, and what
 * comes behind its layers all the same is cut off.
 */
export function listenTo(app: Express): RequestListener {
  return (request, response) => {
    const { url = '/' } = request;
    const path = findPath(url);
    if (path === undefined) WITHOUT_PATH.add(request);
    request.url = path ?? '/';
    (app as Listener)(request, response, () => response.destroy());
  };
}

function findPath(target: string): string | undefined {
  if (target === '*') return target;
  const origin = ORIGIN_PATTERN.exec(target)?.[0] ?? '';
  if (origin !== '' && !URL.canParse(origin)) return undefined;
  const path = target.slice(origin.length);
  const fromRoot = origin !== '' && !path.startsWith('/') ? `/${path}` : path;
  return PATH_PATTERN.test(fromRoot) ? fromRoot : undefined;
}
