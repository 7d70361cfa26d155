import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { renderView } from '../html/render.ts';
import { SIMULATOR_PAGE } from './navigation.ts';
import type { Navigation } from './navigation.ts';
import type { CreateSender } from './stored-pages.ts';

interface Picture {
  readonly name: string;
  /** What it shows, for those who do not see it. */
  readonly words: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

interface Row {
  readonly verdict: 'met' | 'missed' | 'shown';
}

/** What `make validate` writes; tools/validate/report.ts has the whole shape, of which the view shows the rest. */
interface Report {
  readonly sections: readonly { readonly rows: readonly Row[]; readonly pictures: readonly Picture[] }[];
}

const FOLDER = join(import.meta.dirname, '../../generated/validation');

/** The page of the validation: each figure of the simulator beside the measured one, and pictures. Read once. */
export function createValidationPages(navigation: Navigation, createSender: CreateSender): Router {
  const report = JSON.parse(readFileSync(join(FOLDER, 'report.json'), 'utf8')) as Report;
  const asked = report.sections.flatMap(({ rows }) => rows).filter(({ verdict }) => verdict !== 'shown');
  const met = asked.filter(({ verdict }) => verdict === 'met').length;
  const reference = navigation.forPage(SIMULATOR_PAGE.path);
  const page = renderView('simulator', { ...report, asked: asked.length, met, reference, wide: true });
  const sendPage = createSender('text/html; charset=utf-8', Buffer.from(page));
  const router = Router({ caseSensitive: true });
  router.get('/', (_request, response) => sendPage(response));
  for (const { name } of report.sections.flatMap(({ pictures }) => pictures)) {
    const picture = readFileSync(join(FOLDER, `${name}.svg`));
    const sendPicture = createSender('image/svg+xml; charset=utf-8', picture, 'public, max-age=3600');
    router.get(`/${name}.svg`, (_request, response) => sendPicture(response));
  }
  return router;
}
