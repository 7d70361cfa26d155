import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { run } from './partner.ts';

test('the demo confirms every step of the main job in under 30 s', async () => {
  const startedAt = performance.now();
  const demo = join(import.meta.dirname, '../../src/cli/demo/main.ts');
  const { code, output, log } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', demo]);
  expect([code, log]).toEqual([0, '']);
  const steps = output.match(/^\d+\. /gm) ?? [];
  expect(steps.length).toBeGreaterThanOrEqual(9);
  expect(output.match(/^ {3}confirmed$/gm)).toHaveLength(steps.length);
  expect(output).toMatch(new RegExp(`^All ${steps.length} steps confirmed in [\\d.]+ s\\.$`, 'm'));
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});
