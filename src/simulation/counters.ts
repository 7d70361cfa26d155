/** Energy counters of a household: sums of its quarters since the anchor, kept at some days so that few are summed anew. */
import { QUARTERS } from './local-time.ts';
import { Memory } from './memory.ts';

/** Sums of energies in mWh from the anchor on. */
export interface Counters {
  readonly pv: number;
  readonly ev: number;
  readonly hp: number;
  readonly gridImport: number;
  readonly gridExport: number;
}
export const NO_COUNTERS: Counters = { pv: 0, ev: 0, hp: 0, gridImport: 0, gridExport: 0 };

interface Energies {
  readonly pv: Int32Array;
  readonly ev: Int32Array;
  readonly hp: Int32Array;
  readonly grid: Int32Array;
}

/** Counters after the first `quarters` of a day. */
export function addDay(from: Counters, rows: Energies, quarters = QUARTERS): Counters {
  let { pv, ev, hp, gridImport, gridExport } = from;
  for (let i = 0; i < quarters; i++) {
    pv += rows.pv[i] ?? 0;
    ev += rows.ev[i] ?? 0;
    hp += rows.hp[i] ?? 0;
    const grid = rows.grid[i] ?? 0;
    if (grid > 0) gridImport += grid;
    else gridExport -= grid;
  }
  return { pv, ev, hp, gridImport, gridExport };
}

/** Days between the counters that are kept for good; a look back costs at most so many days. */
const SPACING = 16;

/** Counters at the start of a day, summed on from the nearest day before that is known. */
export function counterLedger(firstDay: number, dayOf: (day: number) => Energies): (day: number) => Counters {
  const milestones = new Map<number, Counters>([[firstDay, NO_COUNTERS]]);
  const recent = new Memory<number, Counters>(4);
  let reached = firstDay;
  return (day) => {
    if (day <= firstDay) return NO_COUNTERS;
    let known = day;
    let total = recent.find(day);
    if (!total) {
      const latest = recent.find(day - 1);
      known = latest ? day - 1 : Math.min(reached, day - ((day - firstDay) % SPACING));
      total = latest ?? milestones.get(known) ?? NO_COUNTERS;
    }
    for (; known < day; known++) {
      total = addDay(total, dayOf(known));
      if ((known + 1 - firstDay) % SPACING === 0) {
        milestones.set(known + 1, total);
        reached = Math.max(reached, known + 1);
      }
    }
    const answer = total;
    return recent.get(day, () => answer);
  };
}
