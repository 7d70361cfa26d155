import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';

export type Environment = Readonly<Record<string, string>>;

/** Runs a program and resolves to what it printed; rejects when it fails. */
export type RunSnippet = (code: string, env: Environment) => Promise<string>;

export interface SnippetRunners {
  readonly curl: RunSnippet;
  readonly TypeScript: RunSnippet;
  readonly Python: RunSnippet;
  /** The module that a TypeScript program is. */
  importModule(code: string): Promise<Record<string, unknown>>;
  /** Runs Python with values that its names stand for already. */
  runPython(code: string, env: Environment, values: Readonly<Record<string, unknown>>): Promise<string>;
  /** Runs a program of Bash. */
  runShell(code: string, env: Environment): Promise<string>;
  close(): void;
}

/** As many programs as there are names of languages, each started once: Node is the one of the test. */
export function startSnippetRunners(): SnippetRunners {
  const folder = mkdtempSync(join(tmpdir(), 'partner-snippets-'));
  const python = startPython();
  let count = 0;
  const importModule = (code: string): Promise<Record<string, unknown>> => {
    const path = join(folder, `snippet-${(count += 1)}.mts`);
    writeFileSync(path, code);
    return import(path) as Promise<Record<string, unknown>>;
  };
  return {
    curl: (code, env) => runProgram('sh', code, env),
    TypeScript: async (code, env) => {
      const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
      try {
        await importModule(code);
        return log.mock.calls
          .flat()
          .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
          .join('\n');
      } finally {
        log.mockRestore();
        vi.unstubAllEnvs();
      }
    },
    Python: (code, env) => python.run(code, env, {}),
    importModule,
    runPython: (code, env, values) => python.run(code, env, values),
    runShell: (code, env) => runProgram('bash', code, env),
    close: () => {
      python.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runProgram(shell: 'sh' | 'bash', code: string, env: Environment): Promise<string> {
  const options = { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] as const };
  const child = spawn(shell, ['-c', code], { ...options, stdio: [...options.stdio] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) resolve(output);
      else reject(new Error(`It ends with ${status}: ${errors}${output}`));
    });
  });
}

function startPython() {
  const child = spawn('python3', [join(import.meta.dirname, 'run-snippets.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', (cause) => reject(new Error('The tests of the snippets need python3.', { cause })));
    child.once('exit', (status) => reject(new Error(`python3 ended with ${status}.`)));
  });
  failed.catch(() => undefined);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    run: async (
      code: string,
      env: Environment,
      values: Readonly<Record<string, unknown>>,
    ): Promise<string> => {
      const PATH = process.env['PATH'] ?? '';
      child.stdin.write(`${JSON.stringify({ code, env: { PATH, ...env }, values })}\n`);
      const { value } = await Promise.race([answers.next(), failed]);
      const { output, error } = JSON.parse(value ?? '') as { output: string; error: string | null };
      if (error !== null) throw new Error(error);
      return output;
    },
    close: () => void child.stdin.end(),
  };
}
