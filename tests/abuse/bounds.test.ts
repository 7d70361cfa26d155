import { expect, test } from 'vitest';
import { ATTACKS, findAttack } from '../../bench/abuse/attacks/all.ts';
import { BOUNDS, boundsOf, WITHOUT_BOUND } from '../../bench/abuse/bounds/all.ts';
import { copyWithout } from '../../bench/abuse/unbounded.ts';
import { run } from '../process/partner.ts';

test('each bound is found in the source, and a service without any of them still begins', async () => {
  const tree = copyWithout(BOUNDS);
  try {
    expect(await run(tree.command, ['serve', '--help'])).toMatchObject({ code: 0 });
  } finally {
    tree.remove();
  }
});

test('each bound names attacks', () => {
  const names = BOUNDS.flatMap(({ attacks }) => attacks);
  expect(names.map((name) => findAttack(name).name)).toEqual(names);
});

test('each attack has a bound that can be taken out, or a reason why there is none', () => {
  const unbound = ATTACKS.map(({ name }) => name).filter((name) => boundsOf(name).length === 0);
  expect(unbound).toEqual(Object.keys(WITHOUT_BOUND));
});
