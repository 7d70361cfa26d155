/** The definition as the fleet record shows it, as it is compared, and the history it opens. */
import { DAY_MS, QUARTER_HOUR_MS } from '../../domain/api/durations.ts';
import type { EffectiveDefinition, EffectiveGroup } from './fleet-definition.ts';

export type GroupRecord = Omit<EffectiveGroup, 'households' | 'share' | 'implicit'>;
export type DefinitionRecord = Omit<EffectiveDefinition, 'groups'> & {
  readonly groups: readonly GroupRecord[];
};

/** The definition as the fleet record shows it: without the implicit group and without what was derived from it. */
export function toDefinitionRecord(definition: EffectiveDefinition): DefinitionRecord {
  const groups = definition.groups.filter((group) => !group.implicit).map(toGroupRecord);
  return { ...definition, groups };
}

/** A group without what was derived from it. */
function toGroupRecord(group: EffectiveGroup): GroupRecord {
  return {
    name: group.name,
    count: group.count,
    percentage: group.percentage,
    profile: group.profile,
    weights: group.weights,
    annual_consumption_kwh: group.annual_consumption_kwh,
    annual_consumption_with_ev_kwh: group.annual_consumption_with_ev_kwh,
    max_time_shift_minutes: group.max_time_shift_minutes,
    variation_fraction: group.variation_fraction,
  };
}

/**
 * The text that two bodies share exactly when they mean the same fleet: defaults filled in, null for absent,
 * counts resolved, density by content, keys in one order. For comparing uses of one request_id.
 */
export function canonicalDefinitionJson(definition: EffectiveDefinition): string {
  return stringifyWithSortedKeys(toDefinitionRecord(definition));
}

/** JSON with the keys of every object in order. */
export function stringifyWithSortedKeys(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stringifyWithSortedKeys).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${stringifyWithSortedKeys(item)}`).join(',')}}`;
}

/** The history that a new fleet has: it ends at the cutoff, or else at the creation, rounded down to the quarter hour. */
export function computeHistoryWindow(
  definition: Pick<EffectiveDefinition, 'history_cutoff' | 'history_days'>,
  createdAt: Date,
): { from: Date; to: Date } {
  const end =
    definition.history_cutoff === null ? createdAt.getTime() : Date.parse(definition.history_cutoff);
  const to = Math.floor(end / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  return { from: new Date(to - definition.history_days * DAY_MS), to: new Date(to) };
}
