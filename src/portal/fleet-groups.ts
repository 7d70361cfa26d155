import type { PortalContext, PortalResponse } from './context.ts';
import type { Fleet } from './fleet-access.ts';
import { readFleetDay } from './fleet-day.ts';
import type { FleetEntry, ShownDay } from './fleet-day.ts';
import { sumEnergy } from './fleet-story.ts';
import { formatEnergy } from './quantities.ts';
import { drawDay } from './sparkline.ts';
import type { Sparkline } from './sparkline.ts';
import { countOf } from './times.ts';

/** Groups that are shown: each is summed up for itself. */
const MOST_SHOWN = 6;
/** What the group of those households is called that no other takes. */
const REST = 'default';

/** A group beside the others. */
interface GroupDay {
  readonly name: string;
  readonly homes: string;
  readonly detail: string;
  readonly sparkline: Sparkline;
}

/** The groups of a fleet as small pictures of the same kind; none where there is only one group. */
export async function listGroups(
  context: PortalContext,
  response: PortalResponse,
  { job_id: jobId, definition }: Fleet,
  { day }: ShownDay,
): Promise<readonly GroupDay[]> {
  if (definition.groups.length === 0) return [];
  const names = [...definition.groups.map(({ name }) => name), REST].slice(0, MOST_SHOWN);
  const groups: GroupDay[] = [];
  for (const group of new Set(names)) {
    const asked = { jobId, day, resolution: '1HOUR', group } as const;
    const { metadata, data } = await readFleetDay(context, response, asked);
    if (metadata.households === 0) continue;
    groups.push({
      name: group,
      homes: countOf(metadata.households, 'home'),
      detail: tellEnergy(data),
      sparkline: drawDay(data, day, `Power of ${group} from the grid over the day`),
    });
  }
  return groups.length < 2 ? [] : groups;
}

function tellEnergy(data: readonly FleetEntry[]): string {
  if (data.every(({ grid_import_kwh: imported }) => imported === null)) return 'no values';
  const [imported, fedIn] = [sumEnergy(data, 'grid_import_kwh'), sumEnergy(data, 'grid_export_kwh')];
  return `${formatEnergy(imported)} imported, ${formatEnergy(fedIn)} fed in`;
}
