// All groups of `make bench`, in the order in which they are measured. Attacks are apart: bench/abuse.
import type { Group } from './group.ts';
import { FLEET_DATA_GROUPS } from './fleet-data.ts';
import { FLEET_GROUPS } from './fleets/groups.ts';
import { DELIVERY_LOG_GROUPS } from './lists/delivery-log.ts';
import { LIST_GROUPS } from './lists/groups.ts';
import { PLAN_GROUPS } from './plans.ts';
import { PORTAL_GROUPS } from './portal/groups.ts';
import { REQUEST_GROUPS } from './requests/groups.ts';
import { SIMULATION_GROUPS } from './simulation.ts';
import { WEBHOOK_GROUPS } from './webhooks/groups.ts';

export const GROUPS: readonly Group[] = [
  ...REQUEST_GROUPS,
  ...LIST_GROUPS,
  ...DELIVERY_LOG_GROUPS,
  ...SIMULATION_GROUPS,
  ...PLAN_GROUPS,
  ...FLEET_DATA_GROUPS,
  ...WEBHOOK_GROUPS,
  ...FLEET_GROUPS,
  ...PORTAL_GROUPS,
];

/** The parts: what stands before the slash in the names of groups. */
export const PARTS: readonly string[] = [...new Set(GROUPS.map(({ name }) => toPart(name)))];

/** The groups that a name of a group or of a part means; throws for another name. */
export function findGroups(name: string): readonly Group[] {
  const found = GROUPS.filter((group) => group.name === name || toPart(group.name) === name);
  if (found.length > 0) return found;
  const names = [...new Set([...PARTS, ...GROUPS.map((group) => group.name)])];
  throw new Error(`There is no part ${name}. There are: ${names.join(', ')}.`);
}

function toPart(name: string): string {
  return name.split('/', 1)[0] ?? name;
}
