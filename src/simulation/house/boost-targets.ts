/** What a house is heated to while people boost it. */
import type { Circumstances } from './circumstances.ts';
import type { Forcing } from './thermal-steps.ts';

/** Writes the targets of a boost in the quarter hours `from` up to and without `to`, mK: as high as a plan may aim. */
export function fillBoostTargets(
  { preferences, house }: Pick<Circumstances, 'preferences' | 'house'>,
  { roomTarget }: Pick<Forcing, 'roomTarget'>,
  { from, to }: { readonly from: number; readonly to: number },
  boosted: Pick<Forcing, 'roomTarget' | 'tankGoal'>,
): void {
  const boost = Math.round(1000 * preferences.boost_k);
  const highest = house.comfort + boost;
  for (let i = from; i < to; i++) {
    const target = roomTarget[i] ?? 0;
    boosted.roomTarget[i] = target > 0 ? Math.min(highest, target + boost) : 0;
    boosted.tankGoal[i] = house.tankTarget;
  }
}
