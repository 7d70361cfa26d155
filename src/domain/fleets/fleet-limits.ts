import type { components } from '../../../generated/openapi.ts';

/** How long the request_id of an expansion is remembered, and that of a creation after its fleet was purged. */
export const REQUEST_MEMORY_DAYS = 30;

/**
 * Bounds of a fleet definition and of a fleet, as the fleet configuration publishes them. Those of single fields are
 * repeated in the contract's schemas, which a test compares with these.
 */
export const FLEET_LIMITS = {
  count_min: 1,
  count_max: 1000,
  expand_count_max: 1000,
  households_max: 10_000,
  history_days_max: 90,
  groups_max: 100,
  group_count_max: 1000,
  group_weights: 10,
  name_length_max: 120,
  group_name_length_max: 128,
  seed_max: Number.MAX_SAFE_INTEGER,
  density_weights_length_min: 4,
  density_weights_length_max: 340_000,
  density_rows_max: 4000,
  density_cols_max: 4000,
  density_cell_deg_max: 1,
  max_time_shift_minutes_max: 180,
  variation_fraction_max: 0.5,
  open_events_max: 20,
  event_duration_minutes_max: 10_080,
  event_users_max: 1000,
  event_radius_km_max: 20_000,
} as const satisfies components['schemas']['FleetLimits'];
