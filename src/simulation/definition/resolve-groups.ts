/** The groups of a definition: rules, defaults, counts (docs/simulation.md#groups-and-counts). */
import type { FieldError } from '../../domain/api/problem.ts';
import { DEFINITION_DEFAULTS, isPresent } from './fleet-definition.ts';
import type {
  EffectiveGroup,
  FleetDefinitionBody,
  FleetGroupBody,
  DefinitionWarning,
} from './fleet-definition.ts';
import { computeGroupShares, apportionByLargestRemainder } from './group-membership.ts';

/** Name of the group of the households that no group asked for. */
export const IMPLICIT_GROUP_NAME = 'default';

/**
 * The groups in force, the implicit one last, and the number of households. Group names must differ, since the
 * devices listing filters by them.
 */
export function resolveGroups(
  body: FleetDefinitionBody,
  maxHouseholds: number,
  errors: FieldError[],
  warnings: DefinitionWarning[],
): { count: number; groups: EffectiveGroup[] } {
  const given = body.groups ?? [];
  const before = errors.length;
  for (const [index, group] of given.entries()) validateGroup(group, `/groups/${index}`, body, errors);
  const count = resolveCount(body, maxHouseholds, errors);
  const { shares, exceeded } = computeGroupShares(given, count);
  const households = apportionByLargestRemainder(shares, count);
  // Percentages such as three times 33.3 leave a rest that is no household.
  const left = households[given.length] ?? 0;
  validateGroupNames(given, left > 0, errors);
  if (exceeded) {
    const detail = `The groups ask for more than the ${count} households of the fleet.`;
    errors.push({ pointer: '/groups', code: 'groups_exceed_count', detail });
  }
  if (errors.length > before) return { count, groups: [] };
  const groups = given.map((group, i) => toEffectiveGroup(group, households[i] ?? 0, shares[i] ?? 0, false));
  if (left > 0) {
    const rest = shares[given.length] ?? 0;
    groups.push(toEffectiveGroup({ name: IMPLICIT_GROUP_NAME }, left, rest, true));
    const detail = `${left} of ${count} households belong to no group and form the group "${IMPLICIT_GROUP_NAME}".`;
    if (given.length > 0) warnings.push({ pointer: '/groups', code: 'implicit_group', detail });
  }
  return { count, groups };
}

/** `count`, or without it the sum of the groups if all of them are counted, or the default. */
function resolveCount(body: FleetDefinitionBody, maxHouseholds: number, errors: FieldError[]): number {
  if (body.count !== undefined) return body.count;
  const groups = body.groups ?? [];
  if (groups.length === 0 || groups.some((group) => !isPresent(group.count)))
    return DEFINITION_DEFAULTS.count;
  const sum = groups.reduce((total, group) => total + (group.count ?? 0), 0);
  if (sum < 1 || sum > maxHouseholds) {
    const detail = `The groups add up to ${sum} households; a fleet has 1 to ${maxHouseholds}.`;
    errors.push({ pointer: '/groups', code: 'groups_total_out_of_range', detail });
  }
  return sum;
}

function validateGroup(
  group: FleetGroupBody,
  path: string,
  body: FleetDefinitionBody,
  errors: FieldError[],
): void {
  if (isPresent(group.count) && isPresent(group.percentage)) {
    const detail = 'A group has a count or a percentage, not both.';
    errors.push({ pointer: path, code: 'count_and_percentage', detail });
  }
  if (group.weights) {
    const profile = group.profile ?? DEFINITION_DEFAULTS.profile;
    if (profile !== 'mixed') {
      const detail = `weights mix the ten profiles, but the profile is ${profile}.`;
      errors.push({ pointer: `${path}/weights`, code: 'weights_with_profile', detail });
    }
    for (const [index, weight] of group.weights.entries()) {
      if (weight >= 0) continue;
      const detail = `A weight is a relative frequency and cannot be ${weight}.`;
      errors.push({ pointer: `${path}/weights/${index}`, code: 'minimum', detail });
    }
    if (group.weights.every((weight) => weight === 0)) {
      const detail = 'At least one weight must be above zero.';
      errors.push({ pointer: `${path}/weights`, code: 'weights_sum_zero', detail });
    }
  }
  if (isPresent(group.annual_consumption_kwh) || isPresent(group.annual_consumption_with_ev_kwh)) {
    const plain = group.annual_consumption_kwh ?? body.annual_consumption_kwh;
    validateConsumptionOrder(
      plain,
      group.annual_consumption_with_ev_kwh ?? body.annual_consumption_with_ev_kwh,
      path,
      errors,
    );
  }
}

function validateGroupNames(
  groups: readonly FleetGroupBody[],
  hasImplicit: boolean,
  errors: FieldError[],
): void {
  const first = new Map(
    hasImplicit ? [[IMPLICIT_GROUP_NAME, 'The group of the households that are left over']] : [],
  );
  for (const [index, { name }] of groups.entries()) {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, `Group ${index}`);
    else {
      const detail = `${earlier} has the name "${name}" already; names of groups must differ.`;
      errors.push({ pointer: `/groups/${index}/name`, code: 'duplicate_group_name', detail });
    }
  }
}

function toEffectiveGroup(
  group: FleetGroupBody,
  households: number,
  share: number,
  implicit: boolean,
): EffectiveGroup {
  return {
    name: group.name,
    count: group.count ?? null,
    households,
    share,
    percentage: group.percentage ?? null,
    profile: group.profile ?? DEFINITION_DEFAULTS.profile,
    weights: group.weights ?? null,
    annual_consumption_kwh: group.annual_consumption_kwh ?? null,
    annual_consumption_with_ev_kwh: group.annual_consumption_with_ev_kwh ?? null,
    max_time_shift_minutes: group.max_time_shift_minutes ?? DEFINITION_DEFAULTS.max_time_shift_minutes,
    variation_fraction: group.variation_fraction ?? DEFINITION_DEFAULTS.variation_fraction,
    implicit,
  };
}

/** With a vehicle a household consumes at least what it consumes without. */
export function validateConsumptionOrder(
  plain: number | null | undefined,
  withVehicle: number | null | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (!isPresent(plain) || !isPresent(withVehicle) || withVehicle >= plain) return;
  const detail = `${withVehicle} is the total of a household with a vehicle and lies below the ${plain} without.`;
  errors.push({ pointer: `${path}/annual_consumption_with_ev_kwh`, code: 'consumption_order', detail });
}
