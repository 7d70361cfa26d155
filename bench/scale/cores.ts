// Cores at the peak, so many that they are only as busy as they may be.
import { ASSUMPTIONS } from './assumptions.ts';
import { findMilliseconds, millisecondsOf } from './figures.ts';
import type { ScaleFigures } from './figures.ts';
import { DAY_SECONDS, YEAR_DAYS } from './load.ts';
import type { Load } from './load.ts';

/** Homes of the row of the bench that plans a day. */
const PLANNED_HOMES = 10_000;

/** Requests without what they cost in PostgreSQL, and a day planned anew for each read: no cache holds so many homes. */
export function computeApiCores(figures: ScaleFigures, { devices }: Load): number {
  const { databaseShareOfRead, databaseShareOfChange, deviceReads, simulatedShare } = ASSUMPTIONS;
  const requests =
    readsOfDay(figures) * (1 - databaseShareOfRead.value) +
    changesOfDay(figures) * (1 - databaseShareOfChange.value);
  const planned = millisecondsOf(figures, 'plannedHomes') / PLANNED_HOMES;
  const plans = deviceReads.value * simulatedShare.value * planned;
  return coresOf((devices * (requests + plans)) / DAY_SECONDS) * ASSUMPTIONS.peak.value;
}

/** Events, their deliveries, and the counters of all homes, which are summed ahead in quiet times. */
export function computeWorkerCores(figures: ScaleFigures, { homes, messagesPerSecond }: Load): number {
  const { databaseShareOfChange, webhooks, workerMsOfDelivery, simulatedShare } = ASSUMPTIONS;
  const event = eventMs(figures) * (1 - databaseShareOfChange.value);
  const delivery = findMilliseconds(figures, 'delivery') ?? workerMsOfDelivery.value;
  const homeDay = millisecondsOf(figures, 'homeYears') / YEAR_DAYS;
  const counters = (homes * simulatedShare.value * homeDay) / DAY_SECONDS;
  return coresOf(messagesPerSecond * (event + webhooks.value * delivery) + counters);
}

/** What requests, events, deliveries and the request log cost in PostgreSQL; `loggedPerSecond` at the peak. */
export function computeDatabaseCores(figures: ScaleFigures, load: Load, loggedPerSecond: number): number {
  const { databaseShareOfRead, databaseShareOfChange, webhooks, databaseMsOfDelivery } = ASSUMPTIONS;
  const { changesOfLoggedRequest, peak } = ASSUMPTIONS;
  const requests =
    readsOfDay(figures) * databaseShareOfRead.value + changesOfDay(figures) * databaseShareOfChange.value;
  const event = eventMs(figures) * databaseShareOfChange.value;
  const logged =
    changesOfLoggedRequest.value * millisecondsOf(figures, 'change') * databaseShareOfChange.value;
  return coresOf(
    (load.devices * requests * peak.value) / DAY_SECONDS +
      load.messagesPerSecond * (event + webhooks.value * databaseMsOfDelivery.value) +
      loggedPerSecond * logged,
  );
}

/** Milliseconds of a device and day for what only reads, PostgreSQL's included. */
function readsOfDay(figures: ScaleFigures): number {
  const { deviceReads, userReads, listPages } = ASSUMPTIONS;
  return (
    deviceReads.value * millisecondsOf(figures, 'statusRead') +
    userReads.value * millisecondsOf(figures, 'userRead') +
    listPages.value * millisecondsOf(figures, 'listPage')
  );
}

function changesOfDay(figures: ScaleFigures): number {
  return ASSUMPTIONS.changes.value * millisecondsOf(figures, 'change');
}

function eventMs(figures: ScaleFigures): number {
  return ASSUMPTIONS.changesOfEvent.value * millisecondsOf(figures, 'change');
}

function coresOf(msPerSecond: number): number {
  return msPerSecond / 1000 / ASSUMPTIONS.busy.value;
}
