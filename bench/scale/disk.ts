// Bytes of tables and indexes after a year.
import { ASSUMPTIONS } from './assumptions.ts';
import type { ScaleFigures } from './figures.ts';
import { DAY_SECONDS, YEAR_DAYS } from './load.ts';
import type { Load } from './load.ts';

/** All in bytes, what is dead until vacuum comes included. */
export interface Disk {
  readonly total: number;
  readonly requestLog: number;
  /** What each request and each worker reads: it should fit into memory. */
  readonly hot: number;
  /** What each further year adds, as long as the devices are there. */
  readonly added: number;
}

const HOT = ['users', 'households', 'household_checkpoints', 'devices', 'device_conditions'];
const GROWING = ['device_interruptions', 'control_revisions', 'day_ahead_prices'];

/** `loggedPerSecond`: requests that are kept, the mean of a day. Throws when the figures lack a table. */
export function computeDisk(figures: ScaleFigures, load: Load, loggedPerSecond: number): Disk {
  const bytes = Object.entries(countRows(load, loggedPerSecond)).map(([table, rows]) => {
    const ofRow = figures.bytesOfRow[table];
    if (ofRow === undefined) throw new Error(`The figures lack the table ${table}.`);
    return { table, bytes: rows * ofRow * ASSUMPTIONS.slack.value };
  });
  const sum = (tables: readonly string[]): number =>
    bytes.reduce((total, each) => total + (tables.includes(each.table) ? each.bytes : 0), 0);
  return {
    total: sum(bytes.map(({ table }) => table)),
    requestLog: sum(['logged_requests']),
    hot: sum(HOT),
    added: sum(GROWING),
  };
}

/** Rows of each table that is large; the others have a few of a partner, a webhook or a session. */
function countRows(load: Load, loggedPerSecond: number): Readonly<Record<string, number>> {
  const { conditions, itemDays, messageDays, webhooks, changes, quartersOfYear, requestDays } = ASSUMPTIONS;
  const eventsOfDay = load.eventsPerSecond * DAY_SECONDS;
  const messages = eventsOfDay * messageDays.value;
  return {
    users: load.homes,
    households: load.homes,
    household_checkpoints: load.homes,
    devices: load.devices,
    device_conditions: load.devices * conditions.value,
    device_interruptions: eventsOfDay * YEAR_DAYS,
    notification_items: eventsOfDay * Math.min(YEAR_DAYS, itemDays.value),
    messages,
    deliveries: messages * webhooks.value,
    delivery_attempts: messages * webhooks.value,
    control_revisions: load.devices * changes.value * YEAR_DAYS,
    day_ahead_prices: load.partners * quartersOfYear.value,
    logged_requests: loggedPerSecond * DAY_SECONDS * requestDays.value,
  };
}
