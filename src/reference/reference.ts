import { Router } from 'express';
import type { RequestHandler, Response } from 'express';
import { prefersPage } from '../contract/accepted-type.ts';
import { createAssetRoutes } from '../html/assets.ts';
import { setReferenceHeaders } from '../html/headers.ts';
import { sendMessage, sendMethodNotAllowed } from '../html/messages.ts';
import { createPageAssetRoutes } from '../html/render.ts';
import { Navigation } from './navigation.ts';
import { readPageEntries } from './page-list.ts';
import { StoredPages } from './stored-pages.ts';
import type { CreateSender } from './stored-pages.ts';
import { createValidationPages } from './validation-report.ts';

interface ReferenceOptions {
  readonly baseUrl: string;
  readonly createSender: CreateSender;
}

/**
 * The reference, whose pages are generated with the document: `/docs` and what is below it, each also as Markdown at its
 * address with `.md` behind it, and `/llms.txt`. Answers are the same bytes for everybody. What is not
 * there is a page (404) for browsers and left to the next handler for all others.
 */
export function createReferencePages(options: ReferenceOptions): Router {
  const entries = readPageEntries();
  const navigation = new Navigation(entries);
  const pages = new StoredPages(entries, navigation, options);
  const router = Router({ caseSensitive: true });
  router.use(
    createPageAssetRoutes(options.createSender),
    createAssetRoutes(navigation.assets, options.createSender),
  );
  router.use('/docs/simulator', setReferenceHeaders, createValidationPages(navigation, options.createSender));
  for (const path of ['/llms.txt', '/docs.md', '/docs{/*page}'])
    router.all(path, setReferenceHeaders, createPageHandler(pages));
  return router;
}

function createPageHandler(pages: StoredPages): RequestHandler {
  return async (request, response, next) => {
    const send = pages.find(request.path.replace(/(?<=.)\/$/, ''));
    if (send === undefined) {
      if (prefersPage(request)) sendNoSuchPage(response);
      else next();
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendMethodNotAllowed(response, 'GET, HEAD');
    } else {
      await send(response);
    }
  };
}

function sendNoSuchPage(response: Response): void {
  sendMessage(response, 404, {
    heading: 'No such page',
    text: 'The reference has no page at this address.',
    back: '/docs/search',
    backLabel: 'All pages',
  });
}
