// Large bodies that attacks send, each made once.
import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';

const QUARTER_MS = 900_000;
export const DAY_MS = 86_400_000;

/** The midnight to come, in UTC. */
export function nextDay(): number {
  return (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
}

/** Just below 8 MiB: 720,000 numbers as texts, where numbers belong. */
export const faultyPrices = lazy(() => {
  const entry = `{"timestamp":"2026-11-22T00:00:00Z","price":1,"best_bid":[${'"1234567",'.repeat(71)}"1234567"]}`;
  return `{"data":[${Array.from({ length: 10_000 }, () => entry).join(',')}]}`.slice(0, 8_388_000);
});

/** Just below 8 MiB: 10,000 quarter hours to come with their bids. */
export const validPrices = lazy(() => {
  const start = nextDay();
  const bids = Array.from({ length: 90 }, (_, i) => (50 + i / 10).toFixed(2)).join(',');
  const entries = Array.from({ length: 10_000 }, (_, i) => {
    const timestamp = new Date(start + i * QUARTER_MS).toISOString();
    return `{"timestamp":"${timestamp}","price":${i / 100},"best_bid":[${bids}],"best_ask":[${i}]}`;
  });
  return `{"data":[${entries.join(',')}]}`;
});

/** 10,000 quarter hours to come without bids, the pages of the most that a partner may have. */
export function pageOfPrices(page: number): string {
  const start = nextDay() + page * 10_000 * QUARTER_MS;
  const entries = Array.from({ length: 10_000 }, (_, i) => {
    const timestamp = new Date(start + i * QUARTER_MS).toISOString();
    return `{"timestamp":"${timestamp}","price":${i / 100},"best_bid":[],"best_ask":[]}`;
  });
  return `{"data":[${entries.join(',')}]}`;
}

/** Just below the 1.1 MB of a form: 10,000 lines of quarter hours to come, the half of them with bids, and one price that is none. */
export const pricesAsText = lazy(() => {
  const start = nextDay();
  const lines = Array.from({ length: 10_000 }, (_, i) => {
    const time = new Date(start + i * QUARTER_MS).toISOString().slice(0, 16).replace('T', ' ');
    return `${time};${i / 100};${i % 2 === 0 ? '9 '.repeat(50) : ''}`;
  });
  return `${lines.join('\n')}${'1'.repeat(100_000)}x`;
});

/** 16 million cells over Germany. */
export const largestDefinition = lazy(() => {
  const [rows, cols] = [4_000, 4_000];
  const cells = Buffer.alloc(rows * cols);
  for (let i = 0; i < cells.length; i++) cells[i] = 1 + (((i / cols) >> 8) ^ ((i % cols) >> 8));
  return JSON.stringify({
    request_id: randomUUID(),
    count: 1_000,
    density: {
      country: 'DE',
      dataset_version: 'bench',
      boundary_version: 'natural-earth-4.1-50m',
      grid: { origin_lat: 55.1, origin_lon: 5.8, cell_deg: 0.0025, rows, cols },
      weights: deflateRawSync(cells).toString('base64'),
    },
  });
});

/** 70,000 keys. */
export const manyKeys = (): string =>
  `{${Array.from({ length: 70_000 }, (_, i) => `"key${i}":${i}`).join(',')}}`;

function lazy(make: () => string): () => string {
  let text: string | undefined;
  return () => (text ??= make());
}
