import { isUuid } from '../domain/api/formats.ts';
import { Problem } from '../domain/api/problem.ts';
import { SCHEDULE_STATES } from './price-panels.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { callDeviceOperation, DEVICE_OPERATIONS } from './device-operations.ts';
import type { Device } from './device-operations.ts';
import type { ScheduleEntry } from './device-day.ts';
import { devicePath } from './home-paths.ts';
import { nameDevice } from './homes.ts';
import type { LocalClock } from './local-days.ts';
import type { NamedHeatPump } from './reads.ts';
import { getScope } from './shell.ts';
import { formatSpan, joinQuarters } from './time-spans.ts';
import { findUsersByEmail, nameOf, readUser } from './users.ts';

/** A heat pump of the scope by its id, the id of its user or the beginning of the user's email, without a name the first one. */
export async function findHeatPump(
  context: PortalContext,
  response: PortalResponse,
  sought: string,
): Promise<NamedHeatPump | undefined> {
  const { orgId } = getScope(response);
  if (sought === '') return (await context.reads.listHeatPumps(orgId, 1))[0];
  if (!isUuid(sought)) {
    const { users } = await findUsersByEmail(context, response, { emailPrefix: sought, afterEmail: '' });
    return users[0] && findHeatPumpOfUser(context, response, users[0].id);
  }
  const id = sought.toLowerCase();
  const owner = await context.reads.findDeviceOwner([orgId], id);
  return findHeatPumpOfUser(context, response, owner?.userId ?? id, owner && id);
}

/** Undefined where there is none, or the person's role does not reach the user; `preferred` is taken where it is one of them. */
async function findHeatPumpOfUser(
  context: PortalContext,
  response: PortalResponse,
  userId: string,
  preferred?: string,
): Promise<NamedHeatPump | undefined> {
  try {
    const path = { user_id: userId };
    const { list } = DEVICE_OPERATIONS.heat_pump;
    const pumps = (await callDeviceOperation(context, response, list, { path })) as readonly Device[];
    const pump = pumps.find(({ device_id: id }) => id === preferred) ?? pumps[0];
    return pump && nameDevice(pump);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Whose heat pump it is, where its page is, and what is asked of it when, in words. */
export async function describeHeatPump(
  context: PortalContext,
  response: PortalResponse,
  pump: NamedHeatPump,
  { entries, clock, now }: Parameters<typeof tellSchedule>[0],
) {
  const user = await readUser(context, response, pump.userId);
  return {
    name: nameOf(user),
    href: devicePath(getScope(response), { ...pump, deviceType: 'heat_pump' }),
    sentence: tellSchedule({ entries, clock, now }),
    table: tabulateSchedule(entries, clock),
  };
}

interface Told {
  readonly entries: readonly ScheduleEntry[];
  readonly clock: LocalClock;
  readonly now: Date;
}

/** What is asked now and in the next few spans. */
function tellSchedule({ entries, clock, now }: Told): string {
  if (entries.length === 0) return 'Nothing is asked of it in this time: its user has no coordinates.';
  const spans = listAsked(entries);
  const [current, ...next] = spans.filter(({ to }) => to > now);
  if (current === undefined || current.from > now)
    return 'What is asked of it in these days stands in the strip and in the table.';
  const coming = next
    .slice(0, MOST_TOLD)
    .map(({ from, value }) => `from ${clock.formatTime(from)} ${wordOf(value)}`);
  const until = next.length === 0 ? `, until ${clock.formatTime(current.to)} at least` : '';
  const told = `${[`Now ${wordOf(current.value)}${until}`, ...coming].join(', ')}.`;
  const isRested = spans.some(
    ({ value, from }, index) =>
      RESTING.has(value) &&
      spans[index - 1]?.value === 'max' &&
      spans[index - 1]?.to.getTime() === from.getTime(),
  );
  return isRested ? `${told} ${RESTS}` : told;
}

const RESTING: ReadonlySet<string> = new Set(['min', 'low']);
const RESTS =
  'After it was boosted it is blocked or set back also while power is cheap: rooms and hot water are then as warm as its preferences allow, or warm enough for the hours that follow.';

/** Spans that a sentence tells of. */
const MOST_TOLD = 4;

const WORDS: ReadonlyMap<string, string> = new Map(SCHEDULE_STATES);

/** What a state is called within a sentence; an unknown one by its own name. */
function wordOf(state: string): string {
  return (WORDS.get(state) ?? state).toLowerCase();
}

function listAsked(entries: readonly ScheduleEntry[]) {
  return joinQuarters(entries.map(({ time, state }) => ({ start: new Date(time), value: state })));
}

function tabulateSchedule(entries: readonly ScheduleEntry[], clock: LocalClock) {
  return {
    columns: [{ label: 'From', kind: 'wide' }, { label: 'Asked for' }],
    rows: listAsked(entries).map((span) => [
      { text: formatSpan(clock, span) },
      { text: `${WORDS.get(span.value) ?? span.value} (${span.value})` },
    ]),
  };
}
