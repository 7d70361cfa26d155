/** What the report depends on, as one hash: the code that is run, data and truth. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** Programs that the validation runs, and what they read beside their imports. */
const ENTRIES = ['tools/validate/main.ts', 'tools/validate/part-worker.ts'];
const TRUTH = 'tools/validate/truth/*.{csv,json}';

/** Code without types and comments, which change no figure. */
const runningCode = (text: string): string =>
  ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      removeComments: true,
      verbatimModuleSyntax: true,
    },
  }).outputText;

/**
 * SHA-256 over all modules that the programs of the validation import, without comments and types, and over the data that
 * they read. Code that is generated from the contract is left out: no figure depends on it. `root` is the project's folder.
 */
export function computeFingerprint(root: string): string {
  const texts = new Map<string, string>();
  const waiting = ENTRIES.map((path) => join(root, path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = relative(root, path);
    if (texts.has(name) || (name.startsWith('generated/') && name.endsWith('.ts'))) continue;
    const text = readFileSync(path, 'utf8');
    const code = path.endsWith('.ts') ? runningCode(text) : text;
    texts.set(name, code);
    if (!path.endsWith('.ts')) continue;
    for (const { fileName } of ts.preProcessFile(code).importedFiles) {
      if (fileName.startsWith('.')) waiting.push(join(path, '..', fileName));
    }
  }
  for (const name of globSync(TRUTH, { cwd: root })) texts.set(name, readFileSync(join(root, name), 'utf8'));
  const hash = createHash('sha256');
  for (const name of [...texts.keys()].sort()) hash.update(`${name}\n${texts.get(name) ?? ''}\n`);
  return hash.digest('hex');
}

/** Whether the report in `generated/validation` of a project's folder was made by other code or data, or is not there. */
export function isReportStale(root: string): boolean {
  const path = join(root, 'generated/validation/report.json');
  if (!existsSync(path)) return true;
  const { fingerprint } = JSON.parse(readFileSync(path, 'utf8')) as { readonly fingerprint?: string };
  return fingerprint !== computeFingerprint(root);
}
