import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { GUIDE_GROUP, firstSentence, joinBlocks } from './pages.ts';
import type { Page } from './pages.ts';

/** The pages of docs/reference, in the order of the navigation: one that is added there is added here. */
const WRITTEN_PAGES = [
  'authentication',
  'errors',
  'paging',
  'rate-limits',
  'idempotency',
  'signatures',
  'workflows',
  'clients',
  'lifecycle',
];

/** A part of the document's description that is put into a written page: `<!-- section: Rate limits -->`. */
const SECTION_MARK = /^<!-- section: (.+) -->$/gm;
/** Where a written page has the list of the workflows. */
const WORKFLOWS_MARK = '<!-- workflows -->';

/**
 * The pages of the guide: those that docs/reference has, the changelog of the API, and one for each section of the document's
 * description that none of them contains.
 */
export function writeGuidePages(root: string, description: string, changelog: string): Page[] {
  const sections = splitSections(description);
  const used = new Set<string>();
  const written = WRITTEN_PAGES.map((name) => {
    const text = readFileSync(join(root, `docs/reference/${name}.md`), 'utf8');
    const { title, rest } = splitTitle(text);
    const markdown = rest
      .replace(WORKFLOWS_MARK, () => listWorkflows(root))
      .replaceAll(SECTION_MARK, (_mark, heading: string) => {
        const section = sections.get(heading);
        if (section === undefined) throw new Error(`The document's description has no section ${heading}.`);
        used.add(heading);
        return section;
      });
    return toPage(name, title, markdown);
  });
  const others = [...sections].filter(([heading]) => heading !== '' && !used.has(heading));
  return [
    ...written,
    toChangelogPage(changelog),
    ...others.map(([heading, markdown]) => toPage(toSlug(heading), heading, markdown)),
  ];
}

function splitTitle(text: string): { readonly title: string; readonly rest: string } {
  const [, title = '', rest = ''] = /^# (.+)\n([^]*)$/.exec(text) ?? [];
  return { title, rest };
}

/** Searched for its words: every name in it has a page of its own. */
function toChangelogPage(text: string): Page {
  const { title, rest } = splitTitle(text);
  return { ...toPage('api-changelog', title, rest), terms: [] };
}

function listWorkflows(root: string): string {
  const folder = join(root, 'openapi/workflows');
  const lines = readdirSync(folder).map((name) => {
    const { info } = parse(readFileSync(join(folder, name), 'utf8')) as {
      info: { title: string; summary: string };
    };
    return `- [${info.title}](/api/partners/v2.0/workflows/${name}): ${info.summary}`;
  });
  return lines.sort().join('\n');
}

/** The text before the first heading of the description. */
export function introductionOf(description: string): string {
  return splitSections(description).get('') ?? '';
}

function toPage(slug: string, title: string, markdown: string): Page {
  const names = [...markdown.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)];
  return {
    path: `/docs/guide/${slug}`,
    title,
    label: title,
    group: GUIDE_GROUP,
    summary: firstSentence(markdown),
    markdown: joinBlocks(markdown.trim()),
    terms: [...new Set(names.map(([, name = '']) => name))],
    prose: markdown,
  };
}

/** The sections of a text by their headings of the second level; what stands before the first is under the empty text. */
function splitSections(text: string): ReadonlyMap<string, string> {
  const [before = '', ...parts] = text.split(/^## /m);
  const sections = parts.map((part) => {
    const end = part.indexOf('\n');
    return [part.slice(0, end).trim(), part.slice(end).trim()] as const;
  });
  return new Map([['', before.trim()], ...sections]);
}

function toSlug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
