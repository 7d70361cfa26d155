import { renderView } from '../../src/html/render.ts';
import { renderInlineMarkdown, renderMarkdown } from '../../src/reference/markdown.ts';
import type { OpenApiDocument } from './document.ts';
import { buildReferenceView } from './reference-model.ts';

/** The page of the reference as HTML, with the example address of the document in it. */
export function renderReferencePage(document: OpenApiDocument): string {
  return renderView('reference', {
    reference: buildReferenceView({ ...document }),
    markdown: renderMarkdown,
    inline: renderInlineMarkdown,
    wide: true,
  });
}
