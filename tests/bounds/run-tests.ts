// The named tests of a tree, run by its runner in a process of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Proof } from '../../bench/abuse/bounds/bound.ts';

/** One test of the run that was not skipped. */
export interface Case {
  readonly file: string;
  /** With the titles of what it stands in. */
  readonly title: string;
  readonly isPassed: boolean;
  /** The first line of what it says when it fails; empty when it passes. */
  readonly says: string;
}

export interface TestRun {
  readonly cases: readonly Case[];
  /** Files that ended before their tests did, and why. */
  readonly brokenFiles: ReadonlyMap<string, string>;
}

export interface RunOptions {
  /** The folder of the tree. */
  readonly folder: string;
  /** The runner's configuration, within the tree. */
  readonly config: string;
  /** Milliseconds after which a test has failed. */
  readonly patienceMs: number;
  /** Milliseconds after which the whole run is ended. */
  readonly limitMs: number;
  readonly env: Readonly<Record<string, string>>;
}

/** What the runner writes of each file. */
interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[] | null;
  }[];
}

const REPORT = 'report-of-tests.json';

/**
 * Runs the tests that the proofs name, and no others of their files.
 * @throws Error with the runner's output when it leaves no report, or does not end; with its first error when it comes to no file.
 */
export async function runTests(proofs: readonly Proof[], options: RunOptions): Promise<TestRun> {
  const { folder, config, patienceMs, env } = options;
  const report = join(folder, REPORT);
  rmSync(report, { force: true });
  const files = [...new Set(proofs.map(({ file }) => file))];
  const args = [
    join(folder, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--root', folder, '--config', join(folder, config), ...files],
    ...['--testNamePattern', proofs.map(patternOf).join('|')],
    ...['--reporter', 'json', '--outputFile', report, '--maxWorkers', '1'],
    ...['--testTimeout', String(patienceMs), '--hookTimeout', String(2 * patienceMs)],
  ];
  const output = await runToEnd(args, { folder, env, limitMs: options.limitMs });
  if (!existsSync(report)) throw new Error(`The runner left no report: ${output}`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: readonly FileReport[];
  };
  // What all files need may not load: that says nothing of whether a test is there.
  if (testResults.length === 0) throw new Error(`The runner came to no file: ${firstErrorOf(output)}`);
  return readReport(testResults, folder);
}

/** Whether the proof means a test with this title. */
export function means({ file, test, only = '' }: Proof, found: Pick<Case, 'file' | 'title'>): boolean {
  return file === found.file && found.title.includes(test) && found.title.includes(only);
}

function patternOf({ test, only = '' }: Proof): string {
  return `^(?=.*${escape(test)})(?=.*${escape(only)})`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Resolves to what the runner printed. What it has started ends with it: they are one group of processes. */
async function runToEnd(
  args: readonly string[],
  { folder, env, limitMs }: { folder: string; env: Readonly<Record<string, string>>; limitMs: number },
): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const end = (): void => endGroup(child.pid);
  const timer = setTimeout(end, limitMs);
  process.prependOnceListener('exit', end);
  await once(child, 'exit');
  clearTimeout(timer);
  process.off('exit', end);
  // What a test has left behind that was cut off in the middle.
  end();
  return output;
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readReport(reports: readonly FileReport[], folder: string): TestRun {
  const cases: Case[] = [];
  const brokenFiles = new Map<string, string>();
  for (const { name, status, message, assertionResults } of reports) {
    const file = relative(folder, name);
    const ran = assertionResults.filter((each) => each.status === 'passed' || each.status === 'failed');
    for (const { fullName, status: ended, failureMessages } of ran)
      cases.push({
        file,
        title: fullName,
        isPassed: ended === 'passed',
        says: firstLineOf(failureMessages?.[0] ?? ''),
      });
    if (status === 'failed' && !ran.some((each) => each.status === 'failed'))
      brokenFiles.set(file, firstLineOf(message));
  }
  return { cases, brokenFiles };
}

function firstErrorOf(output: string): string {
  return output.split('\n').find((line) => /Error\b/.test(line)) ?? output;
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
