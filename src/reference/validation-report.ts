import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { renderView } from '../html/render.ts';

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
export function createValidationPages(): Router {
  const report = JSON.parse(readFileSync(join(FOLDER, 'report.json'), 'utf8')) as Report;
  const asked = report.sections.flatMap(({ rows }) => rows).filter(({ verdict }) => verdict !== 'shown');
  const met = asked.filter(({ verdict }) => verdict === 'met').length;
  const page = Buffer.from(renderView('simulator', { ...report, asked: asked.length, met, wide: true }));
  const router = Router({ caseSensitive: true });
  router.get('/', (_request, response) => void response.type('html').send(page));
  for (const { name } of report.sections.flatMap(({ pictures }) => pictures)) {
    const picture = readFileSync(join(FOLDER, `${name}.svg`));
    router.get(`/${name}.svg`, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=3600').type('svg').send(picture);
    });
  }
  return router;
}
