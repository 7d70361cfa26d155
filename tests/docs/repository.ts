import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../readme/document.ts';

const FOLDERS = ['src', 'tools', 'tests', 'bench', 'docs', 'openapi', 'migrations', 'bin', '.ci'];
const ROOT_FILES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'Makefile', 'package.json'];

/** Folders that programs make, as .gitignore names them: on a clean checkout they are not there yet. */
const MADE = new Set(
  readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/\/$/, '')),
);

/** A file that people write: nothing generated, nothing installed. */
export interface SourceFile {
  /** Relative to the project's folder. */
  readonly path: string;
  readonly text: string;
}

/** Every hand-written file of the repository, of `deploy` and the like where they are named. */
export function sourceFiles(more: readonly string[] = []): SourceFile[] {
  const found = [...FOLDERS, ...more].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  return [...ROOT_FILES, ...found]
    .filter((path) => !/(^|\/)node_modules\/|package-lock\.json$|\.snap$/.test(path) && !isMade(path))
    .filter((path) => statSync(join(root, path)).isFile())
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Whether a file lies in a folder that programs make. */
function isMade(path: string): boolean {
  return [...MADE].some((made) => path.startsWith(`${made}/`));
}

/** Whether a path, relative to the project's folder, leads to a file or folder, or to what a program makes there. */
export function isThere(path: string): boolean {
  return existsSync(join(root, path)) || MADE.has(path);
}

/** The lines of a file that are comments, or end in one, without the code before it; the whole of a page. */
export function commentsOf({ path, text }: SourceFile): string {
  if (path.endsWith('.md')) return text;
  const marker = /\.sql$/.test(path) ? '--' : /\.(ts|js|cjs|css|eta)$/.test(path) ? '//' : '#';
  return text
    .split('\n')
    .flatMap((line) => {
      const [, starred] = /^\s*\/?\*+\s?(.*)$/.exec(line) ?? [];
      if (marker === '//' && starred !== undefined) return [starred];
      if (marker === '//' && /^\s*\{?\/\*/.test(line)) return [line];
      const start = line.search(new RegExp(`(^|\\s)${marker}+(\\s|$)`));
      return start < 0 ? [] : [line.slice(start)];
    })
    .join('\n');
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.replace(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
