import { rootedPaths } from './citations.ts';
import type { SourceFile } from './repository.ts';

export interface Recipe {
  readonly title: string;
  /** A word that every file of the recipe names. */
  readonly example: string;
  /** Files, and folders with a slash at their end. */
  readonly paths: readonly string[];
}

/** The recipes of docs/adding.md. */
export function recipesOf(page: string): Recipe[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n')[0] ?? '',
      example: /^Example: `(\w+)`\.$/m.exec(section)?.[1] ?? '',
      paths: listedPaths(section),
    }));
}

/** The paths of the numbered items; in parentheses stands what is looked at and need not name the example. */
function listedPaths(section: string): string[] {
  const items = section
    .replace(/\([^)]*\)/g, '')
    .split(/\n{2,}/)
    .flatMap((paragraph) => paragraph.split(/^\d+\. /m).slice(1));
  return items.flatMap((item) => {
    const folders = [...item.matchAll(/`([\w./-]+\/)`/g)].map(([, folder = '']) => folder);
    return [...rootedPaths(item).filter((path) => !folders.includes(`${path}/`)), ...folders];
  });
}

/** What a recipe forgets, and what it names in vain. */
export function staleness({ example, paths }: Recipe, files: readonly SourceFile[]): string[] {
  const word = new RegExp(`(?<![\\w-])${example}(?![\\w-])`);
  const naming = files
    .filter(({ path }) => !/^docs\/|^tests\/docs\/|\.md$/.test(path))
    .filter(({ text }) => word.test(text))
    .map(({ path }) => path);
  const covers = (listed: string, path: string): boolean =>
    listed.endsWith('/') ? path.startsWith(listed) : path === listed;
  return [
    ...naming
      .filter((path) => !paths.some((listed) => covers(listed, path)))
      .map((path) => `not listed: ${path}`),
    ...paths
      .filter((listed) => !naming.some((path) => covers(listed, path)))
      .map((listed) => `does not name ${example}: ${listed}`),
  ];
}
