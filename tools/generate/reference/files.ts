import type { Catalogue } from '../catalogue.ts';
import { writeErrorList, writeErrorPages } from './error-pages.ts';
import { introductionOf, writeGuidePages } from './guide.ts';
import { renderMarkdown } from './markdown.ts';
import { writeOperationPage } from './operation-pages.ts';
import { listOperationViews } from './operation-view.ts';
import { ERRORS_GROUP, GUIDE_GROUP, addressOfCode, joinBlocks, wordsOf } from './pages.ts';
import type { Page } from './pages.ts';
import type { Node } from './schema-fields.ts';

/** Nothing else lies in it: what a run does not write is removed. */
export const REFERENCE_FOLDER = 'generated/reference';

const SERVER = 'http://localhost:8080';

/**
 * The files of the reference by path, with the example address of the document in them: HTML and Markdown of each page,
 * the list of the pages, what the search looks through, and llms.txt.
 */
export function writeReferenceFiles(
  root: string,
  document: Node,
  catalogue: Catalogue,
  changelog: string,
): Map<string, string> {
  const info = document['info'] as Readonly<Record<string, string>>;
  const guide = writeGuidePages(root, info['description'] ?? '', changelog);
  const pages = writePages(document, catalogue, guide);
  const list = pages.map(({ path, title, label, group, summary, isListedElsewhere = false }) => ({
    path,
    file: fileOf(path),
    title,
    label,
    group,
    summary,
    isListedElsewhere,
  }));
  const paths = new Set(pages.map((page) => page.path));
  const searched = pages.map(({ path, title, group, summary, terms, prose }) => ({
    path,
    title,
    group,
    summary,
    terms: [...new Set(terms)].join(' '),
    words: wordsOf(prose).join(' '),
  }));
  return new Map([
    [`${REFERENCE_FOLDER}/pages.json`, `${JSON.stringify(list, undefined, 1)}\n`],
    [
      `${REFERENCE_FOLDER}/search.json`,
      `[\n${searched.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`,
    ],
    [`${REFERENCE_FOLDER}/llms.txt`, writeLlmsText(info, pages)],
    ...pages.flatMap(({ path, title, markdown }): [string, string][] => [
      [
        `${REFERENCE_FOLDER}/${fileOf(path)}.html`,
        `${renderMarkdown(markdown, (name) => addressOfName(name, path, paths))}\n`,
      ],
      [`${REFERENCE_FOLDER}/${fileOf(path)}.md`, joinBlocks(`# ${title}`, markdown.trimEnd())],
    ]),
  ]);
}

function writePages(document: Node, catalogue: Catalogue, guide: readonly Page[]): Page[] {
  const info = document['info'] as Readonly<Record<string, string>>;
  const operations = listOperationViews(document);
  const tags = document['tags'] as readonly Readonly<Record<'name' | 'description', string>>[];
  const operationPages = operations.map(writeOperationPage);
  const inOrder: readonly Page[] = [
    ...guide,
    ...tags.flatMap(({ name }) => operationPages.filter(({ group }) => group === name)),
    writeErrorList(catalogue),
    ...writeErrorPages(document, catalogue, operations),
  ];
  const pages = [writeStart(info, tags, inOrder), writeSearch(tags, inOrder), ...inOrder];
  const twice = pages.filter(({ path }, index) => pages.findIndex((each) => each.path === path) !== index);
  if (twice.length > 0) throw new Error(`Two pages at ${twice.map(({ path }) => path).join(', ')}.`);
  return pages;
}

type Tags = readonly Readonly<Record<'name' | 'description', string>>[];

function writeStart(info: Readonly<Record<string, string>>, tags: Tags, pages: readonly Page[]): Page {
  const groups = [{ name: GUIDE_GROUP, description: '' }, ...tags].map(({ name, description }) =>
    joinBlocks(`## ${name}`, description, linksTo(pages.filter(({ group }) => group === name))).trimEnd(),
  );
  return {
    path: '/docs',
    title: `${info['title'] ?? ''}, version ${info['version'] ?? ''}`,
    label: 'Start',
    group: GUIDE_GROUP,
    summary: info['summary'] ?? '',
    markdown: joinBlocks(
      introductionOf(info['description'] ?? ''),
      'The document: [openapi.json](/api/partners/v2.0/openapi.json), [openapi.yaml](/api/partners/v2.0/openapi.yaml). For ' +
        'language models: [llms.txt](/llms.txt); every page is also Markdown, at its address with `.md` behind it. ' +
        '[Error codes](/docs/errors). [How the simulator is measured](/docs/simulator).',
      ...groups,
    ),
    terms: [],
    prose: '',
  };
}

/** The list of all pages: what the search shows before something is typed, and all that it shows without JavaScript. */
function writeSearch(tags: Tags, pages: readonly Page[]): Page {
  const names = [GUIDE_GROUP, ...tags.map(({ name }) => name), ERRORS_GROUP];
  return {
    path: '/docs/search',
    title: 'All pages',
    label: 'All pages',
    group: GUIDE_GROUP,
    summary: 'The list of all pages of the reference.',
    markdown: joinBlocks(
      ...names.map((name) =>
        joinBlocks(`## ${name}`, linksTo(pages.filter(({ group }) => group === name))).trimEnd(),
      ),
    ),
    terms: [],
    prose: '',
  };
}

function linksTo(pages: readonly Page[]): string {
  return pages
    .map(({ title, label, path, group }) => {
      const name = group === ERRORS_GROUP && title !== label ? `\`${label}\`` : title;
      return `- [${name}](${path})${group === ERRORS_GROUP && title !== label ? `: ${title}` : ''}`;
    })
    .join('\n');
}

function writeLlmsText(info: Readonly<Record<string, string>>, pages: readonly Page[]): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const sections = groups.map((name) => {
    const lines = pages
      .filter(({ group }) => group === name)
      .map(({ title, path, summary }) => `- [${title}](${SERVER}${path}.md): ${summary}`);
    return joinBlocks(`## ${name}`, lines.join('\n')).trimEnd();
  });
  return joinBlocks(
    `# ${info['title'] ?? ''}`,
    `> ${info['summary'] ?? ''}`,
    `The whole contract is one OpenAPI 3.1 document: ${SERVER}/api/partners/v2.0/openapi.json`,
    ...sections,
  );
}

/** The page of a code, but on that page itself. Codes of one word are names of many other things too. */
function addressOfName(name: string, here: string, paths: ReadonlySet<string>): string | undefined {
  const address = addressOfCode(name);
  return name.includes('_') && address !== here && paths.has(address) ? address : undefined;
}

/** `/docs` is `index`, `/docs/errors` is `errors/index`, `/docs/errors/email_taken` is `errors/email_taken`. */
function fileOf(path: string): string {
  if (path === '/docs') return 'index';
  return path === '/docs/errors' ? 'errors/index' : path.slice('/docs/'.length);
}
