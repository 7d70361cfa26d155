import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, until } from './partner.ts';

const demo = join(import.meta.dirname, '../../tools/demo/main.ts');
const command = ['--disable-warning=ExperimentalWarning', demo];

/** Prints last what the shell's children took: minutes and seconds of user and system time (POSIX, times). */
const timed = `'${process.execPath}' ${command.map((part) => `'${part}'`).join(' ')}; code=$?; times; exit $code`;

test('the demo confirms every step of the main job in under 30 s of processor time', async () => {
  const { code, output, log } = await run('sh', ['-c', timed]);
  expect([code, log]).toEqual([0, '']);
  const steps = output.match(/^\d+\. /gm) ?? [];
  expect(steps.length).toBeGreaterThanOrEqual(9);
  expect(output.match(/^ {3}confirmed$/gm)).toHaveLength(steps.length);
  expect(output).toMatch(new RegExp(`^All ${steps.length} steps confirmed in [\\d.]+ s\\.$`, 'm'));
  const [user = '', system = ''] = output.trimEnd().split('\n').at(-1)?.split(' ') ?? [];
  const seconds = [user, system].map((each) => {
    const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(each) ?? [];
    return Number(minutes) * 60 + Number(rest);
  });
  expect((seconds[0] ?? NaN) + (seconds[1] ?? NaN)).toBeLessThan(30);
});

test.each([
  ['before its service starts', (_output: string, made: string[]) => made.length >= 1],
  ['while its database starts', (_output: string, made: string[]) => made.length >= 2],
  ['at a step', (output: string) => output.includes('\n1. ')],
])('interrupted %s, the demo ends and leaves nothing behind', async (_when, isReached) => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-interrupted-'));
  chmodSync(folder, 0o711);
  // A copy of the programs is kept for the next start, where root needs one.
  const made = (): string[] => readdirSync(folder).filter((name) => !name.startsWith('partner-postgres-'));
  const child = spawn(process.execPath, command, {
    env: { ...process.env, TMPDIR: folder },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let [output, log] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  await until(
    () => isReached(output, made()),
    (reached) => reached,
  );
  // As a terminal does on Ctrl-C: to the whole group.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(log).toBe('');
  expect(made()).toEqual([]);
  rmSync(folder, { recursive: true });
});
