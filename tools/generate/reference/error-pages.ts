import type { Catalogue, CatalogueEntry } from '../catalogue.ts';
import type { OperationView } from './operation-view.ts';
import { ERRORS_GROUP, addressOfCode, addressOfOperation, fence, joinBlocks } from './pages.ts';
import type { Page } from './pages.ts';
import { exampleValuesOf } from './codes.ts';
import type { Node } from './schema-fields.ts';

/** A page for each code of the catalogue: what it means, its cure, an example, the operations that answer it. */
export function writeErrorPages(
  document: Node,
  catalogue: Catalogue,
  operations: readonly OperationView[],
): Page[] {
  const examples = findExamples(document);
  return Object.entries(catalogue).map(([code, entry]) => {
    const isField = entry.scope === 'field';
    const where = isField
      ? `\`${code}\` · an entry of \`errors\` in an answer with the status ${entry.status}`
      : `\`${code}\` · HTTP status ${entry.status}`;
    const example = examples.get(code);
    return {
      path: addressOfCode(code),
      title: entry.title,
      label: code,
      group: ERRORS_GROUP,
      summary: `${isField ? 'Field' : 'Problem'} ${code} (${entry.status}): ${entry.title}.`,
      markdown: joinBlocks(
        where,
        joinBlocks('## Cause', entry.cause.trim()).trimEnd(),
        joinBlocks('## Cure', entry.cure.trim()).trimEnd(),
        example === undefined
          ? ''
          : joinBlocks('## Example', fence('json', JSON.stringify(example, undefined, 2))).trimEnd(),
        ...besideOf(entry).map((who) => joinBlocks('## Who answers it', who).trimEnd()),
        writeOperations(code, isField, operations),
      ),
      terms: [code, String(entry.status)],
      prose: `${entry.cause}\n${entry.cure}`,
      isListedElsewhere: true,
    };
  });
}

/** The first example of the document that carries a code, by code of a problem or of a field. */
function findExamples(document: Node): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const media = (node as Node)['application/problem+json'];
    if (media !== undefined) {
      for (const example of exampleValuesOf(document, media as Node)) remember(found, example);
    }
    for (const each of Object.values(node)) visit(each);
  };
  visit(document);
  return found;
}

function remember(found: Map<string, Node>, example: Node): void {
  const entries = (example['errors'] ?? []) as readonly Node[];
  for (const { code } of [example, ...entries])
    if (typeof code === 'string' && !found.has(code)) found.set(code, example);
}

function writeOperations(code: string, isField: boolean, operations: readonly OperationView[]): string {
  const answering = operations.filter(({ responses }) =>
    responses.some(({ codes }) => (isField ? codes.fields : codes.problems).includes(code)),
  );
  if (answering.length === 0) return '';
  const lines = answering.map(
    (each) => `- [${each.summary}](${addressOfOperation(each)}): \`${each.method} ${each.path}\``,
  );
  return joinBlocks('## Operations that answer it', lines.join('\n')).trimEnd();
}

function besideOf(entry: CatalogueEntry): readonly string[] {
  return entry.scope === 'problem' && entry.beside_operations !== undefined ? [entry.beside_operations] : [];
}

/** The list of all codes. */
export function writeErrorList(catalogue: Catalogue): Page {
  const tableOf = (scope: CatalogueEntry['scope']): string =>
    [
      '| Code | Status | Meaning |',
      '|---|---|---|',
      ...Object.entries(catalogue)
        .filter(([, entry]) => entry.scope === scope)
        .map(
          ([code, entry]) =>
            `| [\`${code}\`](${addressOfCode(code)}) | ${entry.status} | ${[entry.title, ...besideOf(entry)].join('. ')} |`,
        ),
    ].join('\n');
  return {
    path: '/docs/errors',
    title: 'Error codes',
    label: 'All error codes',
    group: ERRORS_GROUP,
    summary: 'Every code of an error, with a page on its cause and its cure.',
    markdown: joinBlocks(
      'Errors are `application/problem+json` (RFC 9457). `code` names the problem; `errors` names every error of the request ' +
        'at once, each with a code of its own. [Handling errors](/docs/guide/errors) says what to do about them.',
      '## Problems',
      tableOf('problem'),
      '## Errors of single fields',
      tableOf('field'),
    ),
    terms: [],
    prose: '',
  };
}
