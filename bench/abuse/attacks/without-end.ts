// Attacks of anybody who sends what has no end, as fast as it is taken, or bodies in as many chunks as may be.
import type { Attack } from '../attack.ts';
import { pour } from '../pour.ts';
import { OF_AN_ADDRESS, requestText, volley } from '../wire.ts';

/** The beginning of a body in chunks, which an operation reads, or which nobody wants. */
function chunked(n: number): string {
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const line = [
    { method: 'POST', path: '/oauth2/token/' },
    { method: 'GET', path: '/livez' },
  ] as const;
  return requestText({ ...(line[n % 2] ?? line[0]), headers });
}

/** A whole request with a body of one-byte chunks, which is answered at once. */
export function inChunks(count: number): string {
  const head = requestText({ method: 'GET', path: '/livez', headers: { 'transfer-encoding': 'chunked' } });
  return `${head}${'1\r\n0\r\n'.repeat(count)}0\r\n\r\n`;
}

const PIPELINED = 100;
export const PAUSE_MS = 2_000;

export const attacksWithoutEnd: readonly Attack[] = [
  {
    name: 'tiny-chunks',
    by: 'anybody',
    what: `bodies of one-byte chunks that do not end, to the token endpoint and to /livez, ${OF_AN_ADDRESS} at once`,
    run: (aim) => pour(aim, OF_AN_ADDRESS, chunked, '1\r\n0\r\n'),
  },
  {
    name: 'pipelined-chunks',
    by: 'anybody',
    what: `${PIPELINED} pipelined requests with bodies of 64 one-byte chunks, ${OF_AN_ADDRESS} at once, every ${PAUSE_MS / 1_000} s`,
    run: (aim) => volley(aim, OF_AN_ADDRESS, PAUSE_MS, inChunks(64).repeat(PIPELINED)),
  },
  {
    name: 'empty-lines',
    by: 'anybody',
    what: `empty lines behind an answer, and zeros of the size of a chunk, without end, ${OF_AN_ADDRESS} at once`,
    run: async (aim) => {
      const half = OF_AN_ADDRESS / 2;
      const [kept, chunks] = [requestText({ method: 'GET', path: '/livez' }), chunked(0)];
      await Promise.all([pour(aim, half, () => kept, '\r\n'), pour(aim, half, () => chunks, '0')]);
    },
  },
];
