import { FLEET_COLUMNS, HOUSEHOLD_COLUMNS } from '../presenters/summed-data.ts';
import { writeTablePart } from '../presenters/tables.ts';
import type { TablePart, TableState, TableType } from '../presenters/tables.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import { createPeriodSums } from '../simulation/model/period-sums.ts';
import type { PeriodSums } from '../simulation/model/period-sums.ts';
import { listSummedPeriods } from '../simulation/model/summed-periods.ts';
import type { RankedPeriod } from '../simulation/model/summed-periods.ts';

/** The sums of households in some periods, the next ones of a table; it can be copied to another thread. */
export interface SummedPart {
  readonly sums: PeriodSums;
  readonly span: QuarterSpan;
  /** Quarter hours in a period. */
  readonly quarters: number;
  /** The users of those that drew least and most, by their index. */
  readonly userIds: ReadonlyMap<number, string>;
  /** Whether the table ends with them. */
  readonly isLast: boolean;
}

/** All of a table without rows. */
export const NO_SUMS: SummedPart = {
  sums: createPeriodSums(0),
  span: { first: 0, end: 0 },
  quarters: 1,
  userIds: new Map(),
  isLast: true,
};

/** The table of a fleet, or of a household, which nobody is compared with. */
export interface SummedTable {
  readonly of: 'fleet' | 'household';
  readonly type: TableType;
  readonly metadata: object;
}

/** The bytes of sums as rows of their table, with what its next part needs. */
export function writeSums({
  table: { of, ...table },
  part,
  before,
}: {
  readonly table: SummedTable;
  readonly part: SummedPart;
  readonly before: TableState | undefined;
}): TablePart {
  const { sums, span, quarters, userIds, isLast } = part;
  const periods = listSummedPeriods(sums, span, quarters);
  if (of === 'household') {
    const rows = periods.map(({ period }) => period);
    return writeTablePart({ ...table, columns: HOUSEHOLD_COLUMNS }, rows, before, isLast);
  }
  const rows = periods.map((each) => toFleetRow(each, userIds));
  return writeTablePart({ ...table, columns: FLEET_COLUMNS }, rows, before, isLast);
}

const toFleetRow = ({ period, smallest, largest }: RankedPeriod, userIds: ReadonlyMap<number, string>) => ({
  ...period,
  smallest_grid_power_w: smallest && smallest.gridPowerW,
  smallest_user_id: smallest && (userIds.get(smallest.index) ?? null),
  largest_grid_power_w: largest && largest.gridPowerW,
  largest_user_id: largest && (userIds.get(largest.index) ?? null),
});
