import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { FIELD_PROBLEMS, PROBLEMS } from '../../generated/problems.ts';
import { setSecurityHeaders } from '../html/headers.ts';
import { renderInlineMarkdown } from './markdown.ts';
import { createStylesheetRoute, renderView, sendView } from '../html/render.ts';
import { createValidationPages } from './validation-report.ts';
import { sendMethodNotAllowed } from '../html/messages.ts';

interface ErrorEntry {
  readonly code: string;
  /** The HTTP status; of a field code that of the answer around it. */
  readonly status: number;
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
}

/** The server address in the generated document; pages show the real one. */
const DOCUMENT_URL = 'http://localhost:8080';

/** The reference, whose page is generated with the document and read when it is first asked for: `/docs`, `/docs/errors`, `/docs/errors/{code}`, `/docs/simulator`. */
export function createReferencePages({ baseUrl }: { readonly baseUrl: string }): Router {
  // Bytes, which all answers share: a text would be copied for each client, however slowly it reads.
  let reference: Buffer | undefined;
  const entries = errorEntries();
  const list = Buffer.from(
    renderView('errors', { problems: entries.problems, fields: entries.fields, wide: true }),
  );
  const byCode = new Map([...entries.problems, ...entries.fields].map((entry) => [entry.code, entry]));

  const router = Router({ caseSensitive: true });
  router.use(createStylesheetRoute());
  router.use('/docs', setSecurityHeaders);
  router.get('/docs', (_request, response) => {
    reference ??= Buffer.from(readReference().replaceAll(DOCUMENT_URL, baseUrl));
    response.type('html').send(reference);
  });
  router.use('/docs/simulator', createValidationPages());
  router.get('/docs/errors', (_request, response) => void response.type('html').send(list));
  router.get('/docs/errors/:code', (request, response) => {
    const entry = byCode.get(request.params.code);
    if (entry === undefined) {
      sendView(response, 404, 'message', {
        heading: 'No such error code',
        text: 'The service sends no error with this code.',
        back: '/docs/errors/',
        backLabel: 'All error codes',
      });
    } else {
      const isField = !Object.hasOwn(PROBLEMS, entry.code);
      sendView(response, 200, 'error', { entry, isField, inline: renderInlineMarkdown });
    }
  });
  router.all(['/docs', '/docs/errors', '/docs/errors/:code'], (_request, response) =>
    sendMethodNotAllowed(response, 'GET, HEAD'),
  );
  return router;
}

/** The page with the example address in it. */
function readReference(): string {
  return readFileSync(join(import.meta.dirname, '../../generated/reference.html'), 'utf8');
}

function errorEntries(): { problems: ErrorEntry[]; fields: ErrorEntry[] } {
  const entries = (catalogue: Readonly<Record<string, Omit<ErrorEntry, 'code'>>>): ErrorEntry[] =>
    Object.entries(catalogue).map(([code, entry]) => ({ ...entry, code }));
  return { problems: entries(PROBLEMS), fields: entries(FIELD_PROBLEMS) };
}
