// At a service as its users run it: how much of what it has freed the system gets back.
import { expect, test } from 'vitest';
import { Inspector, INSPECTOR_ENV } from '../support/inspector.ts';
import { startServiceOnSharedServer } from '../support/service.ts';

const PIECES = 200;
const PIECE_BYTES = 1_000_000;

const RESIDENT_BYTES = 'process.memoryUsage.rss()';
const fill = (name: string): string =>
  `(globalThis.${name} = Array.from({ length: ${PIECES} }, () => Buffer.alloc(${PIECE_BYTES}, 1))).length`;

test('memory that a service has freed between pieces that live on goes back to the system', async () => {
  const service = await startServiceOnSharedServer({ env: { ...INSPECTOR_ENV, LOG_LEVEL: 'error' } });
  const inspector = await Inspector.open(service);
  try {
    // The first large pieces that are freed are those from which glibc learns.
    await inspector.evaluate(fill('first'));
    await inspector.evaluate('void (globalThis.first = undefined)');
    await inspector.bytesInUse();
    const before = await inspector.evaluate<number>(RESIDENT_BYTES);
    await inspector.evaluate(fill('second'));
    const full = await inspector.evaluate<number>(RESIDENT_BYTES);
    expect(full - before).toBeGreaterThan(0.9 * PIECES * PIECE_BYTES);
    await inspector.evaluate('(globalThis.second = second.filter((_, n) => n % 20 === 0)).length');
    await inspector.bytesInUse();
    const left = (await inspector.evaluate<number>(RESIDENT_BYTES)) - before;
    expect(left).toBeLessThan(0.25 * PIECES * PIECE_BYTES);
  } finally {
    inspector.close();
    await service.remove();
  }
});
