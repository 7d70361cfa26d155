/** Who belongs to which group: resolved counts and a layout that expansion never reorders (docs/simulation.md#groups-and-counts). */
import { isPresent } from './fleet-definition.ts';
import type { EffectiveGroup, FleetGroupBody } from './fleet-definition.ts';

/** Percentages count in units of a millionth of a percent, so that quotas are integers. */
const PERCENT_UNITS = 1_000_000;
const WHOLE = 100 * PERCENT_UNITS;

/**
 * Largest remainder (Hamilton): seats in proportion to integer shares; ties go to the earlier share.
 * All zero shares give all zero seats.
 */
export function apportionByLargestRemainder(shares: readonly number[], seats: number): number[] {
  const total = shares.reduce((sum, share) => sum + BigInt(share), 0n);
  if (total === 0n) return shares.map(() => 0);
  const quotas = shares.map((share) => BigInt(share) * BigInt(seats));
  const result = quotas.map((quota) => Number(quota / total));
  const missing = seats - result.reduce((sum, count) => sum + count, 0);
  const order = quotas
    .map((quota, index) => ({ index, remainder: quota % total }))
    .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1));
  for (const { index } of order.slice(0, missing)) result[index] = (result[index] ?? 0) + 1;
  return result;
}

export interface GroupShares {
  /** Shares of the named groups and, last, of the implicit group; integers, sum = unit * total. */
  readonly shares: readonly number[];
  /** True when absolute counts and percentages ask for more than there is. */
  readonly exceeded: boolean;
}

/**
 * Exact quotas of `total` households: absolute counts and percentages as asked; groups with neither split the
 * rest equally; without such a group the rest is the implicit group's.
 */
export function computeGroupShares(
  groups: readonly Pick<FleetGroupBody, 'count' | 'percentage'>[],
  total: number,
): GroupShares {
  const open = groups.filter((group) => !isPresent(group.count) && !isPresent(group.percentage)).length;
  const scale = Math.max(open, 1);
  const asked = groups.map((group) => {
    if (isPresent(group.count)) return group.count * WHOLE;
    return isPresent(group.percentage) ? Math.round(group.percentage * PERCENT_UNITS) * total : null;
  });
  const rest = total * WHOLE - asked.reduce<number>((sum, share) => sum + (share ?? 0), 0);
  const shares = asked.map((share) => (share === null ? Math.max(rest, 0) : share * scale));
  return { shares: [...shares, open > 0 ? 0 : Math.max(rest, 0)], exceeded: rest < 0 };
}

/**
 * How many households each group gains when a fleet grows to `total`: largest remainder on the new total minus
 * what it has. A group that already has more than its part keeps its households, and the others share what is left.
 */
export function distributeExpansion(
  shares: readonly number[],
  have: readonly number[],
  total: number,
): number[] {
  const full = new Set<number>();
  for (;;) {
    const fixed = [...full].reduce((sum, index) => sum + (have[index] ?? 0), 0);
    const target = apportionByLargestRemainder(
      shares.map((share, index) => (full.has(index) ? 0 : share)),
      total - fixed,
    );
    const added = target.map((count, index) => (full.has(index) ? 0 : count - (have[index] ?? 0)));
    const over = added.findIndex((count) => count < 0);
    if (over < 0) return added;
    for (const [index, count] of added.entries()) if (count < 0) full.add(index);
  }
}

/** The group of a household, and its zero-based index in the group. */
export interface GroupMembership {
  readonly index: number;
  readonly groupIndex: number;
  readonly member: number;
}

/**
 * The groups of all households: the initial ones group after group, then each expansion's, again group after group.
 * `expansions` are the household counts of the expand calls, in order; earlier households never change.
 */
export function assignHouseholdsToGroups(
  groups: readonly EffectiveGroup[],
  expansions: readonly number[] = [],
): GroupMembership[] {
  const have = groups.map(() => 0);
  const members: GroupMembership[] = [];
  const append = (added: readonly number[]) => {
    for (const [groupIndex, count] of added.entries()) {
      for (let i = 0; i < count; i++) {
        const member = have[groupIndex] ?? 0;
        members.push({ index: members.length, groupIndex, member });
        have[groupIndex] = member + 1;
      }
    }
  };
  append(groups.map((group) => group.households));
  const shares = groups.map((group) => group.share);
  for (const count of expansions) append(distributeExpansion(shares, have, members.length + count));
  return members;
}
