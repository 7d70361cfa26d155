// The tree of another commit, with this bench in it: both versions are asked the same questions.
import { execFileSync } from 'node:child_process';
import type { StdioOptions } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkPackages } from './link-packages.ts';
import { ROOT } from './version.ts';

/** The bench and what it shares with the tests. */
const MEASURING = ['bench', 'tests'];

export interface OtherVersion {
  readonly tree: string;
  readonly commit: string;
  remove(): void;
}

/**
 * Checks a commit out into a temporary clone and installs what it needs. Throws when there is no such commit, or when its
 * packages cannot be installed.
 */
export function checkOutVersion(name: string): OtherVersion {
  const commit = findCommit(name);
  const folder = mkdtempSync(join(tmpdir(), 'partner-version-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const tree = join(folder, 'tree');
  try {
    // It has the objects of the repository, also those that no branch leads to.
    git(ROOT, ['clone', '--quiet', '--shared', '--no-checkout', ROOT, tree]);
    git(tree, ['checkout', '--quiet', '--detach', commit]);
    install(tree);
    for (const part of MEASURING) {
      rmSync(join(tree, part), { recursive: true, force: true });
      cpSync(join(ROOT, part), join(tree, part), { recursive: true, filter: isMeasuring });
    }
    return { tree, commit, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The whole name of a commit. Throws when there is none of this name. */
export function findCommit(name: string): string {
  try {
    return git(ROOT, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  } catch (cause) {
    throw new Error(`There is no commit ${name}.`, { cause });
  }
}

/** The commit of this tree, `unknown` where it is no repository, and whether its files differ from it. */
export function describeTree(root = ROOT): { readonly commit: string; readonly isChanged: boolean } {
  try {
    const commit = git(root, ['rev-parse', 'HEAD']);
    return { commit, isChanged: git(root, ['status', '--porcelain']) !== '' };
  } catch {
    return { commit: 'unknown', isChanged: false };
  }
}

/** The packages of this tree where the other one wants the same. */
function install(tree: string): void {
  const wanted = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (wanted(tree) === wanted(ROOT)) linkPackages(tree);
  else {
    const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: tree,
      stdio,
    });
  }
}

function isMeasuring(path: string): boolean {
  return !/\/(?:node_modules|results)(?:\/|$)/.test(path.slice(ROOT.length));
}

function git(folder: string, args: readonly string[]): string {
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio }).trim();
}
