import type { Handler } from '../../contract/handlers.ts';
import { DAY_MS } from '../../domain/api/durations.ts';
import { requireAnyMatch } from '../../domain/api/entity-tags.ts';
import { tryParseInstant } from '../../domain/api/instants.ts';
import { validationProblem } from '../../domain/api/problem.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import { nextQuarterHour } from '../../domain/api/quarter-hours.ts';
import type { SteeredType } from '../../simulation/control/preference-changes.ts';
import type { Context } from '../context.ts';
import { findVisibleDevice } from '../user-devices.ts';
import { askOfDevice, boostAt } from './asked.ts';
import type { UserPath } from './asked.ts';

/** As the document says. */
const MAX_BOOST_MS = DAY_MS;

/** Answers 422 `boost_too_short`, `boost_too_long` or `quota_reached`, as do the two others. */
export const startElectricVehicleBoost: Handler<Context, 'startElectricVehicleBoost'> = (
  context,
  { path, body },
) => started(context, path, 'electric_vehicle', path.electric_vehicle_id, body.ends_at);

export const startHeatPumpBoost: Handler<Context, 'startHeatPumpBoost'> = (context, { path, body }) =>
  started(context, path, 'heat_pump', path.heat_pump_id, body.ends_at);

export const startInverterBoost: Handler<Context, 'startInverterBoost'> = (context, { path, body }) =>
  started(context, path, 'inverter', path.inverter_id, body.ends_at);

/** Where there is no boost, it is left at that. */
export const endElectricVehicleBoost: Handler<Context, 'endElectricVehicleBoost'> = (
  context,
  { path, headers },
) => ended(context, path, 'electric_vehicle', path.electric_vehicle_id, headers['If-Match']);

export const endHeatPumpBoost: Handler<Context, 'endHeatPumpBoost'> = (context, { path, headers }) =>
  ended(context, path, 'heat_pump', path.heat_pump_id, headers['If-Match']);

export const endInverterBoost: Handler<Context, 'endInverterBoost'> = (context, { path, headers }) =>
  ended(context, path, 'inverter', path.inverter_id, headers['If-Match']);

/** A boost that is asked for again as it stands is the same boost, so that a call can be repeated. */
async function started(context: Context, path: UserPath, type: SteeredType, id: string, endsAtText: string) {
  const device = await findVisibleDevice(context, path, type, id);
  const sentEnd = tryParseInstant(endsAtText);
  if (sentEnd === undefined) throw new Error('An instant that the document has accepted is none.');
  const { last } = await askOfDevice(context, device, type, (before, startsAt) => {
    const errors = validateBoostEnd(sentEnd, startsAt, context.now);
    if (errors.length > 0) throw validationProblem(errors);
    const boostEndsAt = toEndOfQuarter(sentEnd);
    const isAsked =
      before.last?.change === 'boost' && boostEndsAt.getTime() === before.boostEndsAt?.getTime();
    return isAsked ? undefined : { kind: 'boost', preferences: before.preferences, boostEndsAt };
  });
  if (last === undefined || last.boost_ends_at === null)
    throw new Error('A boost was asked for and is not there.');
  const body = {
    device_id: device.id,
    device_type: device.device_type,
    starts_at: last.effective_from.toISOString(),
    ends_at: last.boost_ends_at.toISOString(),
  };
  return { status: 200 as const, body };
}

async function ended(
  context: Context,
  path: UserPath,
  type: SteeredType,
  id: string,
  ifMatch: string | undefined,
) {
  const device = await findVisibleDevice(context, path, type, id);
  requireAnyMatch(ifMatch);
  await askOfDevice(context, device, type, (before, startsAt) =>
    boostAt(before, startsAt) === null
      ? undefined
      : { kind: 'boost_end', preferences: before.preferences, boostEndsAt: null },
  );
  return { status: 204 as const };
}

/** What is wrong with the end of a boost that begins at `startsAt`: `boost_too_short` or `boost_too_long`. */
export function validateBoostEnd(endsAt: Date, startsAt: Date, now: Date): readonly FieldError[] {
  const pointer = '/ends_at';
  if (endsAt <= startsAt) {
    const detail = `Must be later than ${startsAt.toISOString()}, when the boost begins.`;
    return [{ pointer, code: 'boost_too_short', detail }];
  }
  const latest = new Date(now.getTime() + MAX_BOOST_MS);
  if (endsAt <= latest) return [];
  const detail = `Must be ${latest.toISOString()} or earlier: a boost ends within 24 hours.`;
  return [{ pointer, code: 'boost_too_long', detail }];
}

/** The end of the quarter hour that an instant lies in; itself where one ends there. */
function toEndOfQuarter(instant: Date): Date {
  return nextQuarterHour(new Date(instant.getTime() - 1));
}
