import type { components } from '../../generated/openapi.ts';
import { HOUR_MS } from '../domain/api/durations.ts';
import { getFleetData } from '../operations/fleets/fleet-data.ts';
import { listDayAheadPrices } from '../operations/trading.ts';
import { readAnswer, readItems } from './answers.ts';
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

/** A price and the time in which it is in force. */
interface Price {
  readonly valid_from: string;
  readonly valid_until: string;
  readonly price: number;
}

/** The price at an instant, EUR/MWh; null where none is known. */
export type PriceAt = (instant: Date) => number | null;

/** The prices of a day as the devices of an organization see them. */
export async function readPrices(
  context: PortalContext,
  response: PortalResponse,
  orgId: string,
  { from, to }: LocalDay,
): Promise<PriceAt> {
  const operation = toOperationContext(context, response, 'listDayAheadPrices', orgId);
  const { body } = await listDayAheadPrices(operation, {
    path: { org_id: orgId },
    query: { from_dt: new Date(from.getTime() - HOUR_MS).toISOString(), to_dt: to.toISOString() },
    headers: {},
    body: undefined,
  });
  const { data } = body as { readonly data: readonly Price[] | AsyncIterable<Price> };
  const prices = await readItems(data);
  return (instant) => {
    const text = instant.toISOString();
    return prices.find((each) => each.valid_from <= text && text < each.valid_until)?.price ?? null;
  };
}
