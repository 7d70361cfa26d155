import type { OperationView } from './operation-view.ts';

/** A page of the reference, from which its HTML, its Markdown, its entry in the navigation and in the search are made. */
export interface Page {
  /** `/docs/operations/createUser`, in which nothing has to be percent-encoded. */
  readonly path: string;
  readonly title: string;
  /** What navigation calls it. */
  readonly label: string;
  /** The part of the navigation that it belongs to. */
  readonly group: string;
  /** One line of plain text: what is there. */
  readonly summary: string;
  /** Without the heading of the first level, which is the title. */
  readonly markdown: string;
  /** Names that people look for and that stand neither in title nor summary: fields, codes, paths. */
  readonly terms: readonly string[];
  /** Text in Markdown whose words people look for too. */
  readonly prose: string;
  /** Not in the navigation: there are too many of its kind, and a list leads to them. */
  readonly isListedElsewhere?: boolean;
}

/** Where the page of an operation or of a message is. */
export function addressOfOperation({ id, message }: Pick<OperationView, 'id' | 'message'>): string {
  return message === undefined ? `/docs/operations/${id}` : `/docs/messages/${message}`;
}

/** Where the page of a code is. */
export function addressOfCode(code: string): string {
  return `/docs/errors/${code}`;
}

export const ERRORS_GROUP = 'Errors';
export const GUIDE_GROUP = 'Guide';

/** The first sentence of a text in Markdown, as plain text. */
export function firstSentence(markdown: string): string {
  const [paragraph = ''] = markdown.trim().split(/\n\s*\n/);
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ');
  return /^.*?[.:](?=\s|$)/.exec(plain)?.[0] ?? plain;
}

/** The words of a text in Markdown, each once; code blocks and what is shorter than three letters left out. */
export function wordsOf(markdown: string): string[] {
  const text = markdown.replaceAll(/^```[^]*?^```$/gm, '').toLowerCase();
  return [...new Set(text.match(/\p{Letter}{3,}/gu) ?? [])].sort();
}

/** A value as the lines of a code block in Markdown; the title is shown above it. */
export function fence(language: string, code: string, title = ''): string {
  return `\`\`\`${[language, title].filter((part) => part !== '').join(' ')}\n${code.trimEnd()}\n\`\`\``;
}

/** The parts of a page, those that are empty left out. */
export function joinBlocks(...blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
