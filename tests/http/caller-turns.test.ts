import { expect, test } from 'vitest';
import { CallerTurns } from '../../src/http/caller-turns.ts';
import { WAITING_LIMITS } from '../../src/http/request-turns.ts';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';

const PARTNER = 'partner 1';
const addressOf = (n: number): QuotaSubject => `address 192.0.2.${n}`;

/** Adds so many of the caller, named by it and their number; returns those that cannot wait. */
function addAll(turns: CallerTurns<string>, caller: QuotaSubject, count: number): (string | undefined)[] {
  return Array.from({ length: count }, (_, n) => turns.add(caller, `${caller} ${n}`));
}

/** Takes all, one of the caller whose turn it is at a time. */
function takeAll(turns: CallerTurns<string>): string[] {
  const taken: string[] = [];
  for (;;) {
    const [first] = turns.next() ?? [];
    if (first === undefined) return taken;
    turns.remove(first.slice(0, first.lastIndexOf(' ')) as QuotaSubject, first);
    taken.push(first);
  }
}

test('all addresses together have one turn beside each partner, and take turns in it', () => {
  const turns = new CallerTurns<string>({ maxOfCaller: 10, maxOfParty: 100 });
  for (const n of [1, 2, 3]) addAll(turns, addressOf(n), 2);
  addAll(turns, PARTNER, 2);
  expect(takeAll(turns)).toEqual([
    'address 192.0.2.1 0',
    'partner 1 0',
    'address 192.0.2.2 0',
    'partner 1 1',
    'address 192.0.2.3 0',
    'address 192.0.2.1 1',
    'address 192.0.2.2 1',
    'address 192.0.2.3 1',
  ]);
  expect(turns.isEmpty).toBe(true);
});

test('partners of whom few wait have turns of their own, by turns', () => {
  const turns = new CallerTurns<string>({ maxOfCaller: 10, maxOfParty: 100 });
  addAll(turns, addressOf(1), 1);
  for (const partner of ['partner 1', 'partner 2', 'partner 3'] as const)
    addAll(turns, partner, partner === 'partner 2' ? 3 : 2);
  const taken: string[] = [];
  for (;;) {
    const [first] = turns.nextOfFew(2) ?? [];
    if (first === undefined) break;
    turns.remove(first.slice(0, first.lastIndexOf(' ')) as QuotaSubject, first);
    taken.push(first);
  }
  expect(taken).toEqual(['partner 1 0', 'partner 3 0', 'partner 1 1', 'partner 3 1']);
  expect(takeAll(turns)).toEqual(['address 192.0.2.1 0', 'partner 2 0', 'partner 2 1', 'partner 2 2']);
});

test('of a caller so many wait', () => {
  const turns = new CallerTurns<string>({ maxOfCaller: 2, maxOfParty: 100 });
  expect(addAll(turns, PARTNER, 3)).toEqual([undefined, undefined, 'partner 1 2']);
  expect(takeAll(turns)).toHaveLength(2);
});

test('of all addresses so many wait: the last of the one that has most makes room', () => {
  const turns = new CallerTurns<string>({ maxOfCaller: 10, maxOfParty: 4 });
  addAll(turns, addressOf(1), 1);
  addAll(turns, addressOf(2), 3);
  expect(addAll(turns, addressOf(3), 2)).toEqual(['address 192.0.2.2 2', 'address 192.0.2.3 1']);
  expect(addAll(turns, PARTNER, 4)).toEqual(Array.from({ length: 4 }));
  expect(takeAll(turns)).toHaveLength(8);
});

test('64 addresses with 128 each have no more waiting than 2,048', () => {
  const turns = new CallerTurns<string>(WAITING_LIMITS);
  let waiting = 0;
  for (let n = 0; n < 64; n += 1)
    waiting += addAll(turns, addressOf(n), 128).filter((beyond) => beyond === undefined).length;
  expect(waiting).toBe(2_048);
  expect(takeAll(turns)).toHaveLength(2_048);
});
