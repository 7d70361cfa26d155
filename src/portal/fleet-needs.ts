import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import { isFleetActive } from '../domain/fleets/fleet-states.ts';
import type { ConditionCode } from '../domain/notifications/conditions.ts';
import type { FailingWebhook } from '../domain/notifications/failing-webhook.ts';
import type { ConditionCount } from '../domain/notifications/open-condition.ts';
import { needOfFailing } from './need.ts';
import type { Need } from './need.ts';
import { fleetPath, FLEETS_PATH } from './paths.ts';
import { toFleetScope } from './scopes.ts';
import { countOf } from './times.ts';

/** What is known of the simulations of fleets. Undefined: not the reader's to see. */
export interface FleetTroubles {
  readonly failing: ReadonlyMap<string, readonly FailingWebhook[]> | undefined;
  readonly conditions: readonly ConditionCount[] | undefined;
}

/** Conditions that are told one by one. */
const MOST_TOLD = 10;

interface ConditionTexts {
  readonly one: string;
  readonly several: string;
  readonly detail: string;
}

const TEXTS: Readonly<Record<ConditionCode, ConditionTexts>> = {
  device_offline: {
    one: 'is offline',
    several: 'are offline',
    detail: 'What is not read meanwhile is read once the device is back.',
  },
  reauthenticate: {
    one: 'asks for a new sign-in',
    several: 'ask for a new sign-in',
    detail: 'Neither read nor steered until the owner signs in again.',
  },
  steering_recovery_failed: {
    one: 'did not come back from steering',
    several: 'did not come back from steering',
    detail: 'No schedule is followed.',
  },
  subscription_required: {
    one: 'lacks its subscription',
    several: 'lack their subscriptions',
    detail: 'Read, but not steered.',
  },
};

/** The webhooks of simulations that are failing, in the order of the fleets. */
export function needsOfFleetWebhooks(
  fleets: readonly FleetSummary[],
  failing: FleetTroubles['failing'],
): readonly Need[] {
  return fleets.flatMap((fleet) =>
    (failing?.get(fleet.simulationOrgId) ?? []).map((webhook) =>
      needOfFailing(toFleetScope(fleet), webhook, ` of ${fleet.name}`),
    ),
  );
}

/** The conditions in which devices of fleets that run are, those of most devices first, then those that began first; what stands still is not told. */
export function needsOfFleetDevices(
  fleets: readonly FleetSummary[],
  conditions: FleetTroubles['conditions'] = [],
): readonly Need[] {
  const active = new Map(
    fleets
      .filter(({ status, isReachable }) => isReachable && isFleetActive(status))
      .map((fleet) => [fleet.simulationOrgId, fleet]),
  );
  const needs = conditions
    .toSorted(
      (a, b) => b.count - a.count || a.since.getTime() - b.since.getTime() || a.code.localeCompare(b.code),
    )
    .flatMap((each) => {
      const fleet = active.get(each.orgId);
      return fleet === undefined ? [] : [needOfCondition(fleet, each)];
    });
  const more = needs.length - MOST_TOLD;
  return more <= 0 ? needs : [...needs.slice(0, MOST_TOLD), needOfMore(more)];
}

function needOfCondition({ id, name }: FleetSummary, { code, count, since }: ConditionCount): Need {
  const { one, several, detail } = TEXTS[code];
  return {
    kind: 'warning',
    title: `${countOf(count, 'device')} of ${name} ${count === 1 ? one : several}`,
    detail,
    href: fleetPath(id, '#exceptions'),
    since,
  };
}

function needOfMore(count: number): Need {
  return {
    kind: 'warning',
    title: `${countOf(count, 'more condition')} of other fleets`,
    detail: 'The page of each fleet lists the devices that are in one.',
    href: FLEETS_PATH,
  };
}
