import { afterEach, beforeEach, expect, test } from 'vitest';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { printForCertain } from '../../src/cli/outputs.ts';

// A pipe that takes no more until somebody reads it.
let folder: string;
let path: string;
let pipe: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'partner-outputs-'));
  path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  for (const bytes of [4_096, 1]) expect(() => fill(bytes)).toThrow('EAGAIN');
});
afterEach(() => {
  closeSync(pipe);
  rmSync(folder, { recursive: true });
});

function fill(bytes: number): never {
  for (;;) writeSync(pipe, '.'.repeat(bytes));
}

test('what is shown only once waits for the reader of a full pipe', async () => {
  const reader = spawn('grep', ['-o', '-m', '1', 'shown once', path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const read = text(reader.stdout);
  const ended = once(reader, 'exit');
  printForCertain('\nshown once', pipe, 60_000);
  expect(await read).toBe('shown once\n');
  await ended;
});

test('a pipe that nobody reads is waited for no longer than it may take', () => {
  const begun = performance.now();
  expect(() => printForCertain('shown once', pipe, 50)).toThrow('so nothing was changed');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(50);
});
