import { posix } from 'node:path';
import { anchorsOf, commentsOf, isThere } from './repository.ts';
import type { SourceFile } from './repository.ts';

/** Something that a comment or page refers to and that is not there. */
export interface BrokenCitation {
  readonly path: string;
  readonly cites: string;
}

const TOP = '(?:src|tools|tests|bench|docs|openapi|migrations|generated)';
/** A path from the project's folder, with an anchor or without: `docs/webhooks.md#retries`, `src/domain`. */
const ROOTED_PATH = new RegExp(`(?<![\\w./-])${TOP}/[\\w./-]*(?:#[\\w-]+)?`, 'g');
/** A page named without its folder. */
const BARE_PAGE = /(?<![\w./-])[\w-]+\.md\b(?:#[\w-]+)?/g;
/** A source file named without its folder. */
const BARE_FILE = /(?<![\w./*{},-])[a-z][\w-]*\.(?:ts|sql|yaml|cjs|css|eta)\b/g;
const LINK = /\]\(([^)\s]+)\)/g;
/** Sections of documents that the repository does not have, and rules by number. */
const FOREIGN = [
  /\b(?:simulation|specification|decisions|design|style|webhooks)(?:\.md)?,? (?:section|rule|part) \d+/gi,
  /\b(?:specification|design|style)\.md\b/g,
  /\bthe specification(?:'s)? (?:says|asks|sentence|wants|leaves)/g,
  /\((?:[A-F]\d{1,2}(?:, | and | to |\.\.)?)+[;)]|\bsimulation\.md [A-F]\d*/g,
  /\bissue #?\d+\b/gi,
];
/** Pages at the top of the repository; all others are named with their folder. */
const TOP_PAGES = new Set(['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md']);

/** What the comments of a file, or a whole page, cite in vain. */
export function brokenCitations(file: SourceFile, files: readonly SourceFile[]): BrokenCitation[] {
  const text = commentsOf(file).replace(/https?:\/\/\S+/g, '');
  const baseNames = new Set(files.map(({ path }) => posix.basename(path)));
  const cited = [
    ...rootedPaths(text).filter((path) => !isCited(path, files)),
    ...matches(text, BARE_PAGE).filter((page) => !isPage(page, file, files)),
    ...matches(text, BARE_FILE).filter((name) => !baseNames.has(name)),
    ...FOREIGN.flatMap((pattern) => matches(text, pattern)),
    ...(file.path.endsWith('.md') ? brokenLinks(file, files) : []),
  ];
  return [...new Set(cited)].map((cites) => ({ path: file.path, cites }));
}

/**
 * Every path from the project's folder that a text names, without the dot that ends a sentence. NNNN stands for any number
 * and names no file.
 */
export function rootedPaths(text: string): string[] {
  return matches(text, ROOTED_PATH)
    .map((path) => path.replace(/[./]+$/, ''))
    .filter((path) => !path.includes('NNNN'));
}

function isCited(cited: string, files: readonly SourceFile[]): boolean {
  const [path = '', anchor] = cited.split('#');
  if (!isThere(path)) return false;
  const page = files.find((file) => file.path === path);
  return anchor === undefined || (page !== undefined && anchorsOf(page.text).has(anchor));
}

/** Pages beside each other may name each other; all else names a page with its folder. */
function isPage(cited: string, file: SourceFile, files: readonly SourceFile[]): boolean {
  const [name = ''] = cited.split('#');
  if (TOP_PAGES.has(name)) return isThere(name);
  return file.path.endsWith('.md') && isCited(posix.join(posix.dirname(file.path), cited), files);
}

function brokenLinks({ path, text }: SourceFile, files: readonly SourceFile[]): string[] {
  const targets = [...text.matchAll(LINK)].map(([, target = '']) => target);
  return (
    targets
      // An address on the service is followed by the test of the reference.
      .filter((target) => !/^(?:[a-z]+:|\/)/.test(target))
      .filter((target) => {
        const resolved = target.startsWith('#') ? path + target : posix.join(posix.dirname(path), target);
        return !isCited(resolved, files);
      })
  );
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([match]) => match);
}
