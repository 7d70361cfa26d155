import type { components } from '../../generated/openapi.ts';
import type { Handler } from '../contract/handlers.ts';
import { JsonBytes } from '../contract/json-bytes.ts';
import type { JobInput } from '../compute/jobs.ts';
import { answerHeatPumpSchedule } from '../compute/heat-pump-schedule.ts';
import { notFoundProblem } from '../domain/api/problem.ts';
import { PRICE_VALIDITY_MS } from '../domain/prices/prices.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import type { InstantRange } from '../domain/api/instant-range.ts';
import { loadKnownPrices } from '../households/price-book.ts';
import { findUser } from '../queries/accounts/visible-users.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import { findStoredHousehold } from '../households/stored-households.ts';
import type { Household } from '../simulation/household/household.ts';
import type { KnownPrices } from '../simulation/control/price-book.ts';
import { createAssumedHousehold } from '../households/assumed-household.ts';
import type { Context } from './context.ts';
import { workInTurn } from './heavy-jobs.ts';
import { findVisibleDevice } from './user-devices.ts';
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';

type Schedule = components['schemas']['HeatPumpSchedule'];

const MAX_SCHEDULE_DAYS = 31;
/** What is computed here and not on a thread (docs/decisions.md#heavy-work). */
const INLINE_MS = 2 * DAY_MS;
/** A day is planned as a whole: of the first and the last one all prices count, in whatever time zone they lie. */
const PLANNED_AROUND_MS = 26 * HOUR_MS;

export const getHeatPumpSchedules: Handler<Context, 'getHeatPumpSchedules'> = async (
  context,
  { path, query },
) => {
  const device = await findVisibleDevice(context, path, 'heat_pump', path.heat_pump_id);
  const range = parseInstantRange(['from', query.from], ['to', query.to], MAX_SCHEDULE_DAYS);
  const toMetadata = (error: string): Schedule['metadata'] => ({
    requested_at: context.now.toISOString(),
    query: {
      org_id: path.org_id,
      user_id: path.user_id,
      heat_pump_id: path.heat_pump_id,
      from: query.from,
      to: query.to,
    },
    error,
  });
  const subject = await findSubject(context, device, range);
  if (typeof subject === 'string') return { status: 200, body: { metadata: toMetadata(subject), data: [] } };
  const answer = await answerOf(context, { ...subject, now: context.now, metadata: toMetadata('') });
  return { status: 200, body: new JsonBytes(answer) };
};

/** Prices are read in the turn of what is computed on a thread: those who wait for theirs, or are refused, hold none. */
async function answerOf(
  context: Context,
  subject: Omit<JobInput<'answerHeatPumpSchedule'>, 'prices'>,
): Promise<Uint8Array> {
  const { compute, actor } = context;
  const withPrices = async () => ({ ...subject, prices: await loadPrices(context, subject) });
  if (subject.to.getTime() - subject.from.getTime() <= INLINE_MS) {
    return (await answerHeatPumpSchedule(await withPrices())).answer;
  }
  const { answer } = await workInTurn(context, false, async () =>
    compute.run(actor.partnerId, 'answerHeatPumpSchedule', await withPrices()),
  );
  return answer;
}

/** What the schedule is computed from, or why there are no entries. */
async function findSubject(context: Context, device: DeviceRow, range: InstantRange) {
  // An entry belongs to the range when its quarter begins there.
  const from = new Date(Math.ceil(range.from.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
  const { to } = range;
  if (from >= to) return 'No quarter hour begins in this time range.';
  const household = await householdOf(context, device);
  if (household === undefined) {
    return 'The user has no coordinates: the weather, and with it the need for heat, is not known.';
  }
  return { household, from, to };
}

/** The household as it was drawn when the heat pump is simulated, otherwise one assumed at the user's location. */
async function householdOf({ db, orgId }: Context, device: DeviceRow): Promise<Household | undefined> {
  const simulated = findStoredHousehold(device);
  if (simulated !== undefined) return simulated;
  const scope = { orgId, visibleTo: { kind: 'all' }, includeDeleted: false } as const;
  const user = await findUser(db, scope, device.user_id);
  if (user === undefined) throw notFoundProblem('user');
  const { latitude, longitude } = user;
  if (latitude === null || longitude === null) return undefined;
  return createAssumedHousehold({ latitude, longitude }, device.ratings.rated_power_w ?? null);
}

function loadPrices({ db, orgId }: Context, { from, to }: InstantRange): Promise<KnownPrices> {
  return loadKnownPrices(db, orgId, {
    from: new Date(from.getTime() - PLANNED_AROUND_MS - PRICE_VALIDITY_MS),
    to: new Date(to.getTime() + PLANNED_AROUND_MS),
  });
}
