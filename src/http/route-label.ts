import type { Request } from 'express';
import type { Route } from '../../generated/routes.ts';

/** The methods that some path knows, and OPTIONS; metrics call all others OTHER. */
const NAMED_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);
const OTHER = 'other';
/** The route of what is refused before the handler of a route has taken it on. */
const NO_ROUTE = 'none';

/** What metrics call a request: each label comes from a fixed list, so that nobody adds series by asking oddly. */
export interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

/** The label of a route of the document, parameters as Express writes them, for `takeOnRoute`. */
export function toRouteLabel({ path }: Pick<Route, 'path'>): { readonly path: string } {
  return { path: path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1') };
}

/** From now on metrics count the request under its route. To be called once its caller is known, where one must be known. */
export function takeOnRoute(request: Request, label: { readonly path: string }): void {
  request.route = label;
}

/** The labels of a request with its answer's status; 405 belongs to no route, since any method leads to it. */
export function toRequestLabels(request: Request, status: number): RequestLabels {
  const path = (request.route as { path?: unknown } | undefined)?.path;
  const isTakenOn = typeof path === 'string' && status !== 405;
  return {
    method: NAMED_METHODS.has(request.method) ? request.method : OTHER,
    route: isTakenOn ? path : NO_ROUTE,
    status,
  };
}
