// The exchanges of the tests: recorded in a run of theirs, and read again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EXCHANGES_VARIABLE } from '../support/recorded-exchanges.ts';
import type { RecordedExchange } from '../support/recorded-exchanges.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The folders of tests whose client calls operations. */
const FOLDERS = ['conditions', 'contract', 'households', 'oauth', 'operations'];

/** Runs tests, and has their exchanges written into a folder; rejects when a test fails. */
export async function recordExchanges(folder: string, paths: readonly string[]): Promise<void> {
  const chosen = paths.length > 0 ? paths : FOLDERS.map((name) => `tests/${name}`);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'tests/style/vitest.config.ts', ...chosen];
  const env = { ...process.env, [EXCHANGES_VARIABLE]: folder };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The tests ended with ${String(code)}.`);
}

/** All exchanges of a folder, one after the other. */
export async function* readExchanges(folder: string): AsyncGenerator<RecordedExchange> {
  for (const name of readdirSync(folder))
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) }))
      yield JSON.parse(line) as RecordedExchange;
}
