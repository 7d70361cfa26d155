import type { Aim, Attack } from '../attack.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { attacksBeforeAuthentication } from './before-authentication.ts';
import { attacksOfManyAddresses } from './many-addresses.ts';
import { READS } from './reads.ts';
import { attacksWithToken } from './with-token.ts';
import { attacksWithoutEnd } from './without-end.ts';

export const ATTACKS: readonly Attack[] = [
  ...attacksBeforeAuthentication,
  ...attacksWithoutEnd,
  ...attacksOfManyAddresses,
  ...attacksWithToken,
];

/** Burns the attacker's core and sends nothing: what every attack is compared with. */
export const CONTROL: Attack = {
  name: 'control',
  by: 'anybody',
  what: "only burns the attacker's core",
  run: async ({ signal }: Aim) => {
    while (!signal.aborted) {
      const until = performance.now() + 20;
      while (performance.now() < until);
      await turn();
    }
  },
};

/** @throws Error when no attack has this name. */
export function findAttack(name: string): Attack {
  const found = [CONTROL, ...ATTACKS, ...READS].find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no attack ${name}.`);
  return found;
}
