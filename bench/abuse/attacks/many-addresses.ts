// Attacks of anybody who has many addresses: a line with IPv6 has 256 networks of /64.
import type { Aim, Attack } from '../attack.ts';
import { pipeline, requestText, volley } from '../wire.ts';
import { inChunks, PAUSE_MS } from './without-end.ts';

const ADDRESSES = 250;
const OF_EACH = 2;
const LOGIN_PAGE = requestText({ method: 'HEAD', path: '/accounts/login/' });

/** Something over two kept connections of each address; `atOnce` are all connections together. */
async function fromEach(
  { atOnce = ADDRESSES * OF_EACH, ...aim }: Aim,
  run: (aim: Aim) => Promise<void>,
): Promise<void> {
  const addresses = Array.from({ length: atOnce / OF_EACH }, (_, n) => `127.0.2.${n + 1}`);
  await Promise.all(addresses.map((from) => run({ ...aim, from })));
}

/** What a body may have, in one read. */
const CHUNKS = inChunks(4_090);

export const attacksOfManyAddresses: readonly Attack[] = [
  {
    name: 'many-addresses',
    by: 'anybody',
    what: `the login page from ${ADDRESSES} addresses, each one request after the other over ${OF_EACH} kept connections`,
    run: (aim) => fromEach(aim, (each) => pipeline(each, OF_EACH, 1, LOGIN_PAGE, Infinity)),
  },
  {
    name: 'many-addresses-chunks',
    by: 'anybody',
    what: `bodies of 4,090 one-byte chunks from ${ADDRESSES} addresses with ${OF_EACH} connections each, every ${PAUSE_MS / 1_000} s`,
    run: (aim) => fromEach(aim, (each) => volley(each, OF_EACH, PAUSE_MS, CHUNKS)),
  },
];
