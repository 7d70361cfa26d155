import { vi } from 'vitest';
import { Router } from 'express';
import type { IRoute } from 'express';

/** A page, and whether a form is sent to it. */
export interface PageRoute {
  readonly path: string;
  readonly hasForm: boolean;
}

/** What `start` resolves to, and the pages that were asked for meanwhile, those that are added later too. */
export async function collectPages<T>(
  start: () => Promise<T>,
): Promise<{ readonly started: T; readonly pages: readonly PageRoute[] }> {
  const routes: IRoute[] = [];
  const prototype = Router.prototype as unknown as { route: (path: string) => IRoute };
  const original = prototype.route;
  const spy = vi.spyOn(prototype, 'route').mockImplementation(function (this: unknown, path) {
    const route = original.call(this as typeof prototype, path);
    routes.push(route);
    return route;
  });
  const started = await start();
  spy.mockRestore();
  const handled = routes.map(({ path, stack }) => ({ path, methods: stack.map(({ method }) => method) }));
  const paths = new Set(handled.map(({ path }) => path).filter((path) => !path.startsWith('/assets/')));
  const pages = [...paths].map((path) => ({
    path,
    hasForm: handled.some((route) => route.path === path && route.methods.includes('post')),
  }));
  return { started, pages };
}
