import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';

/** Bytes of each script that a page loads, compressed. */
export async function readScriptSizes(page: Page, path: string): Promise<number[]> {
  const answers: Response[] = [];
  page.on('response', (answer) => {
    if (answer.url().endsWith('.js')) answers.push(answer);
  });
  await page.goto(path);
  const bodies = await Promise.all(answers.map((answer) => answer.body()));
  return bodies.map((body) => gzipSync(body).length);
}
