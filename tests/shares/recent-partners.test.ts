import { expect, test } from 'vitest';
import { RecentPartners, whenAlone } from '../../src/shares/recent-partners.ts';

test('a partner is alone at work until another sends a request, and again two minutes behind its last one', () => {
  let nowMs = 0;
  const recent = new RecentPartners(() => nowMs);
  expect(recent.hasOthers('a')).toBe(false);
  recent.note('a');
  expect([recent.hasOthers('a'), recent.hasOthers('b')]).toEqual([false, true]);
  recent.note('b');
  // However many requests of its own come behind it.
  for (nowMs = 1_000; nowMs < 120_000; nowMs += 1_000) recent.note('a');
  nowMs = 119_999;
  expect([recent.hasOthers('a'), recent.hasOthers('b'), recent.hasOthers('c')]).toEqual([true, true, true]);
  nowMs = 120_000;
  expect([recent.hasOthers('a'), recent.hasOthers('b')]).toEqual([false, true]);
});

test('of three partners each has others at work, whoever came last', () => {
  const recent = new RecentPartners(() => 0);
  for (const partnerId of ['a', 'b', 'c', 'c', 'a']) recent.note(partnerId);
  expect(['a', 'b', 'c'].map((partnerId) => recent.hasOthers(partnerId))).toEqual([true, true, true]);
});

test('a partner has more of something while it is alone', () => {
  const atMostOf = whenAlone({ hasOthers: (partnerId) => partnerId === 'b' }, 4, 1);
  expect([atMostOf('a'), atMostOf('b')]).toEqual([4, 1]);
});
