/** Below which indoor temperature the heater helps the compressor (docs/simulation.md#heat-pump). */
import type { Circumstances } from './circumstances.ts';
import { BACKUP_BELOW_COMFORT_MK } from './thermal-steps.ts';

/** So long the compressor alone brings a house to a higher comfort: who lowers it by night does not heat by wire in the morning. */
const ALONE_QUARTERS = 96;

/**
 * Writes it for quarter hours counted from `start` (since 1970), mK: below the comfort that is asked for, or the lowest one that
 * was a day before.
 */
export function fillHeaterHold(
  circumstances: Circumstances,
  start: number,
  heaterHold: Int32Array,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  heaterHold.fill(circumstances.house.comfort - BACKUP_BELOW_COMFORT_MK, from, to);
  for (let { before } = circumstances; before !== undefined; { before } = before) {
    const end = Math.min(to, before.end + ALONE_QUARTERS - start);
    if (end <= from) return;
    const lower = before.house.comfort - BACKUP_BELOW_COMFORT_MK;
    for (let i = from; i < end; i++) heaterHold[i] = Math.min(heaterHold[i] ?? 0, lower);
  }
}
