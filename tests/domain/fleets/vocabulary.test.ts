import { expect, test } from 'vitest';
import openapi from '../../../generated/openapi.json' with { type: 'json' };
import { DEVICE_TYPES } from '../../../src/domain/fleets/devices.ts';
import { FLEET_LIMITS } from '../../../src/domain/fleets/fleet-limits.ts';
import { FLEET_STATES } from '../../../src/domain/fleets/fleet-states.ts';
import { ARCHETYPES } from '../../../src/simulation/household/profiles.ts';
import { FAULT_CODES } from '../../../src/simulation/household/faults.ts';

const { schemas } = openapi.components;

test('device types, fleet states and fault codes are those of the document', () => {
  expect(DEVICE_TYPES).toEqual(schemas.DeviceType.enum);
  expect(FLEET_STATES).toEqual(schemas.FleetStatus.anyOf[0]?.enum);
  expect(FAULT_CODES).toEqual(schemas.FleetFault.properties.code.anyOf[0]?.enum);
});

test('the limits that the fleet configuration publishes are those by which the document validates', () => {
  const { properties: fleet } = schemas.FleetDefinition;
  const { properties: group } = schemas.FleetGroup;
  const { properties: density } = schemas.DensityRaster;
  const { properties: grid } = schemas.DensityGrid;
  const { properties: event } = schemas.FleetEventTrigger;
  expect(FLEET_LIMITS).toEqual({
    count_min: fleet.count.minimum,
    count_max: fleet.count.maximum,
    expand_count_max: schemas.FleetExpansion.properties.count.maximum,
    households_max: 10_000,
    history_days_max: fleet.history_days.maximum,
    groups_max: fleet.groups.maxItems,
    group_count_max: group.count.maximum,
    group_weights: group.weights.maxItems,
    name_length_max: fleet.name.maxLength,
    group_name_length_max: group.name.maxLength,
    seed_max: fleet.seed.maximum,
    density_weights_length_min: density.weights.minLength,
    density_weights_length_max: density.weights.maxLength,
    density_rows_max: grid.rows.maximum,
    density_cols_max: grid.cols.maximum,
    density_cell_deg_max: grid.cell_deg.maximum,
    max_time_shift_minutes_max: group.max_time_shift_minutes.maximum,
    variation_fraction_max: group.variation_fraction.maximum,
    open_events_max: 20,
    event_duration_minutes_max: event.duration_minutes.maximum,
    event_users_max: event.user_ids.maxItems,
    event_radius_km_max: schemas.EventCircle.properties.radius_km.maximum,
  });
  expect(FLEET_LIMITS.group_weights).toBe(ARCHETYPES.length);
});
