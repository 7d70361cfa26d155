import { expect, test } from 'vitest';
import { findAttack } from '../../bench/abuse/attacks/all.ts';
import { BOUNDS, copyWithout } from '../../bench/abuse/bounds.ts';
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
