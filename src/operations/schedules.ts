import type { components } from '../../generated/openapi.ts';
import type { Handler } from '../contract/handlers.ts';
import { JsonBytes } from '../contract/json-bytes.ts';
import type { JobInput, JobOutput } from '../compute/jobs.ts';
import { answerHeatPumpSchedule } from '../compute/heat-pump-schedule.ts';
import { notFoundProblem } from '../domain/api/problem.ts';
import { PRICE_VALIDITY_MS } from '../domain/prices/prices.ts';
import { parseInstantRange } from '../domain/api/instant-range.ts';
import type { InstantRange } from '../domain/api/instant-range.ts';
import { loadKnownPrices } from '../households/price-book.ts';
import { findUser } from '../queries/accounts/visible-users.ts';
import type { DeviceRow } from '../queries/fleets/devices.ts';
import { controlOfHousehold, loadControls, loadUserControl } from '../households/household-controls.ts';
import { findStoredHousehold } from '../households/stored-households.ts';
import { UNCONTROLLED } from '../simulation/control/household-control.ts';
import type { HouseholdControl } from '../simulation/control/household-control.ts';
import type { Household } from '../simulation/household/household.ts';
import type { KnownPrices } from '../simulation/control/price-book.ts';
import { clipSpans, hullOf, OPEN_END } from '../simulation/control/revisions.ts';
import type { QuarterSpan } from '../simulation/control/revisions.ts';
import { TimeSlicer } from '../households/time-slicer.ts';
import { WINDOWS_WALKED_BACK } from '../simulation/house/steered-house.ts';
import { createAssumedHousehold } from '../households/assumed-household.ts';
import type { Context } from './context.ts';
import { workInOrder, workInTurn } from './heavy-jobs.ts';
import { findVisibleDevice } from './user-devices.ts';
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';

type Schedule = components['schemas']['HeatPumpSchedule'];

const MAX_SCHEDULE_DAYS = 31;
/** What waits for no turn of heavy work (docs/decisions.md#heavy-work). */
const SHORT_MS = 2 * DAY_MS;
/** A plan has up to 26 hours, whose prices all count; how long a heat pump is blocked is counted on from the plan before. */
const PLANNED_AROUND_MS = 26 * HOUR_MS;
/** What a house that was asked for something else does may follow from plans that are so old. */
const WALKED_BACK_MS = (WINDOWS_WALKED_BACK + 2) * DAY_MS;

export const getHeatPumpSchedules: Handler<Context, 'getHeatPumpSchedules'> = async (
  context,
  { path, query },
) => {
  const device = await findVisibleDevice(context, path, 'heat_pump', path.heat_pump_id);
  const range = parseInstantRange(['from', query.from], ['to', query.to], MAX_SCHEDULE_DAYS);
  const toMetadata = (error: string) => ({
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
  if (typeof subject === 'string') {
    const metadata: Schedule['metadata'] = { ...toMetadata(subject), prices: [] };
    return { status: 200, body: { metadata, data: [] } };
  }
  const answer = await answerOf(context, { ...subject, now: context.now, metadata: toMetadata('') });
  return { status: 200, body: new JsonBytes(answer) };
};

/** Prices are read in the turn of what is computed: those who wait for theirs, or are refused, hold none. */
async function answerOf(
  context: Context,
  subject: Omit<JobInput<'answerHeatPumpSchedule'>, 'prices'>,
): Promise<Uint8Array> {
  const { compute, actor } = context;
  const span = hullOf(subject.spans);
  const withPrices = async () => ({ ...subject, prices: await loadPrices(context, subject.control, span) });
  const isShort = (span.end - span.first) * QUARTER_HOUR_MS <= SHORT_MS;
  const { answer } = await (isShort
    ? workInOrder(context, async () => answerShort(context, await withPrices()))
    : workInTurn(context, false, async () =>
        compute.run(actor.partnerId, 'answerHeatPumpSchedule', await withPrices()),
      ));
  return answer;
}

/** On a thread, or in slices on the event loop where none is free: who asks for two days is never refused one. */
async function answerShort(
  { compute, actor, yieldToEventLoop }: Context,
  input: JobInput<'answerHeatPumpSchedule'>,
): Promise<JobOutput<'answerHeatPumpSchedule'>> {
  const onThread = compute.tryRun(actor.partnerId, 'answerHeatPumpSchedule', input);
  if (onThread !== undefined) return onThread;
  // What others wait for comes before its first slice.
  await yieldToEventLoop(0, actor.partnerId);
  const slicer = new TimeSlicer((days) => yieldToEventLoop(days, actor.partnerId));
  return answerHeatPumpSchedule(input, slicer);
}

/** What the schedule is computed from, or why there are no entries. */
async function findSubject(context: Context, device: DeviceRow, { from, to }: InstantRange) {
  // An entry belongs to the range when its quarter begins there.
  const [first, end] = [from, to].map((at) => Math.ceil(at.getTime() / QUARTER_HOUR_MS)) as [number, number];
  if (first >= end) return 'No quarter hour begins in this time range.';
  const planned = await plannedHousehold(context, device);
  const spans = planned === undefined ? [] : clipSpans(planned.known, { first, end });
  if (planned === undefined || spans.length === 0) {
    return 'The user has no coordinates in this time: the weather, and with it the need for heat, is not known.';
  }
  return { household: planned.household, control: planned.control, spans };
}

interface PlannedHousehold {
  readonly household: Household;
  readonly control: HouseholdControl;
  /** The quarter hours of which it is known where it is. */
  readonly known: readonly QuarterSpan[];
}

const ALL_TIME: readonly QuarterSpan[] = [{ first: -OPEN_END, end: OPEN_END }];

/** The household as it was drawn when the heat pump is simulated, otherwise one assumed where the user lived first. */
async function plannedHousehold(
  { db, orgId, actor }: Context,
  device: DeviceRow,
): Promise<PlannedHousehold | undefined> {
  const simulated = findStoredHousehold(device, actor.partnerId);
  if (simulated !== undefined) {
    const controls = await loadControls(db, actor.partnerId, [device]);
    return { household: simulated, control: controlOfHousehold(controls)(simulated), known: ALL_TIME };
  }
  const scope = { orgId, visibleTo: { kind: 'all' }, includeDeleted: false } as const;
  const user = await findUser(db, scope, device.user_id);
  if (user === undefined) throw notFoundProblem('user');
  const asked = await loadUserControl(db, user);
  if (asked === undefined) return undefined;
  const { home, control, known } = asked;
  return { household: createAssumedHousehold(home, device.ratings.rated_power_w ?? null), control, known };
}

function loadPrices(
  { db, orgId }: Context,
  control: HouseholdControl,
  { first, end }: QuarterSpan,
): Promise<KnownPrices> {
  const before = control === UNCONTROLLED ? 2 * PLANNED_AROUND_MS : WALKED_BACK_MS;
  return loadKnownPrices(db, orgId, {
    from: new Date(first * QUARTER_HOUR_MS - before - PRICE_VALIDITY_MS),
    to: new Date(end * QUARTER_HOUR_MS + PLANNED_AROUND_MS),
  });
}
