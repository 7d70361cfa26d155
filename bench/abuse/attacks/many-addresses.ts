// Attacks of anybody who has many addresses: a line with IPv6 has 256 networks of /64.
import type { Aim, Attack } from '../attack.ts';
import { pipeline, requestText } from '../wire.ts';

const ADDRESSES = 250;
const OF_EACH = 2;
const LOGIN_PAGE = requestText({ method: 'HEAD', path: '/accounts/login/' });

/** The login page over two kept connections of each address; `atOnce` are all connections together. */
async function askForLogin({ atOnce = ADDRESSES * OF_EACH, ...aim }: Aim): Promise<void> {
  const addresses = Array.from({ length: atOnce / OF_EACH }, (_, n) => `127.0.2.${n + 1}`);
  await Promise.all(addresses.map((from) => pipeline({ ...aim, from }, OF_EACH, 1, LOGIN_PAGE, Infinity)));
}

export const attacksOfManyAddresses: readonly Attack[] = [
  {
    name: 'many-addresses',
    by: 'anybody',
    what: `the login page from ${ADDRESSES} addresses, each one request after the other over ${OF_EACH} kept connections`,
    run: askForLogin,
  },
];
