import type { components } from '../../generated/openapi.ts';
import { getFleetData } from '../operations/fleets/fleet-data.ts';
import { readAnswer } from './answers.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { createLocalClock } from './local-days.ts';
import type { LocalClock, LocalDay } from './local-days.ts';
import { toOperationContext } from './operations.ts';
import type { Request } from 'express';

/** What the households of a fleet did together in a period. */
export type FleetEntry = components['schemas']['FleetDataEntry'];
type FleetData = components['schemas']['FleetData'];
type Resolution = FleetData['metadata']['resolution'];

/** Which day of which clocks a page shows. */
export interface ShownDay {
  readonly day: LocalDay;
  readonly clock: LocalClock;
  /** Whether the reader has asked for UTC in place of the households' zone. */
  readonly isUtc: boolean;
  readonly isToday: boolean;
}

/** The day that the address of a page names (`day`, `zone`), otherwise today in the households' zone. */
export function readShownDay(request: Request, zone: string | undefined, now: Date): ShownDay {
  const isUtc = readQueryParameter(request, 'zone') === 'utc' || zone === undefined;
  const clock = createLocalClock(isUtc ? 'UTC' : zone);
  const today = clock.dayOf(now);
  const asked = clock.findDay(readQueryParameter(request, 'day') ?? today) ?? clock.findDay(today);
  if (asked === undefined) throw new Error('Today is no day.');
  return { day: asked, clock, isUtc, isToday: asked.date === today };
}

interface Asked {
  readonly orgId: string;
  readonly jobId: string;
  readonly day: LocalDay;
  readonly resolution: Resolution;
  readonly group?: string;
}

/** What the operation getFleetData is asked for a day. */
export function toDataRequest({ orgId, jobId, day, resolution, group }: Asked) {
  const query = { from: day.from.toISOString(), to: day.to.toISOString(), resolution };
  return {
    path: { org_id: orgId, job_id: jobId },
    query: group === undefined ? query : { ...query, group },
    headers: {},
    body: undefined,
  } as const;
}

/** What a fleet, or one of its groups, did on a day; as much of it as is over. */
export async function readFleetDay(
  context: PortalContext,
  response: PortalResponse,
  asked: Omit<Asked, 'orgId'>,
): Promise<FleetData> {
  const { orgId } = getSession(response);
  const operation = toOperationContext(context, response, 'getFleetData', orgId);
  const request = { ...toDataRequest({ ...asked, orgId }), answerType: 'application/json' } as const;
  return (await readAnswer((await getFleetData(operation, request)).body)) as FleetData;
}
