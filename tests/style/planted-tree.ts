import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const parts = [
  'src',
  'tools',
  'docs/reference',
  'generated',
  'openapi',
  'released',
  'migrations',
  'tests/style',
  'package.json',
  'tsconfig.json',
];

/** A copy of the sources, in which tests plant what a check of `make check` must find. */
export class PlantedTree {
  readonly folder = mkdtempSync(join(tmpdir(), 'partner-planted-'));

  constructor() {
    for (const part of parts) cpSync(join(root, part), join(this.folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** To a file that is there. */
  append(file: string, text: string): void {
    this.replace(file, /$/, text);
  }

  /** Throws when the pattern is not there. */
  replace(file: string, pattern: RegExp, by: string): void {
    const text = readFileSync(join(this.folder, file), 'utf8');
    if (!pattern.test(text)) throw new Error(`${file} has no ${String(pattern)}.`);
    this.write(file, text.replace(pattern, by));
  }

  /** Runs a script of the project or of a package with the tree as its folder. */
  async run(script: string, ...args: readonly string[]): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      const options = { cwd: this.folder, maxBuffer: 1e8 };
      execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
      });
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The file of a package, for PlantedTree.run. */
export const inPackages = (name: string): string => join(root, 'node_modules', name);
