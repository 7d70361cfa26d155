import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;

/** Collects all garbage, before it returns. */
export function collectGarbage(): void {
  collect({ type: 'major' });
}

/**
 * By how many bytes `bytes` grows while the work is done 100 times, when young garbage alone is collected: what old objects refer to
 * is still there. Once before it is done for what it leaves in any case, and twice is what makes an object old.
 */
export async function measureLeft(bytes: () => number, work: () => Promise<unknown>): Promise<number> {
  await work();
  collectGarbage();
  const before = bytes();
  for (let times = 0; times < 100; times += 1) {
    await work();
    if (times % 10 === 9) collect({ type: 'minor' });
  }
  for (let times = 0; times < 3; times += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect({ type: 'minor' });
  }
  return bytes() - before;
}
