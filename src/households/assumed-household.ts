import type { HeatPump } from '../simulation/household/heat-pump.ts';
import { DEFINITION_DEFAULTS } from '../simulation/definition/fleet-definition.ts';
import { MODEL_VERSION } from '../simulation/household/household.ts';
import type { Household } from '../simulation/household/household.ts';
import { splitSeed } from '../simulation/kernel/noise.ts';
import { createHouseholdLocationLookup } from '../simulation/definition/household-location.ts';

/** The middle of what simulated households have (src/simulation/household/heat-pump.ts): a single-family house with radiators. */
const ASSUMED_HEAT_PUMP: HeatPump = {
  rated_power_w: 6_900,
  backup_power_w: 3_000,
  heat_output_w: 10_000,
  min_output_fraction: 0.3,
  efficiency: 0.92,
  source: 'air',
  emitter: 'radiator',
  design_temperature_c: -8,
  design_flow_c: 41,
  building: {
    persons: 2,
    floor_area_m2: 140,
    heat_loss_w_per_k: 190,
    heat_capacity_wh_per_k: 6_400,
    comfort_c: 20.6,
    night_setback_k: 0,
  },
  tank: { volume_l: 230, target_c: 50, standing_loss_w: 65 },
};

/** Heat over electricity at 7 C outdoors and full load. */
const RATED_COP = 2.6;

function assumedHeatPumpOf(ratedPowerW: number): HeatPump {
  const output = RATED_COP * ratedPowerW;
  return { ...ASSUMED_HEAT_PUMP, rated_power_w: ratedPowerW, backup_power_w: 0, heat_output_w: output };
}

/**
 * A house to plan heat for where none is simulated: the user's location with its weather and time zone, the unit's
 * rated power if it is known, all else assumed. It has no vehicle, panels or battery.
 */
export function createAssumedHousehold(
  location: { readonly latitude: number; readonly longitude: number },
  ratedPowerW: number | null,
): Household {
  const { latitude, longitude, country, time_zone, source } = createHouseholdLocationLookup(
    location,
    null,
    splitSeed(DEFINITION_DEFAULTS.seed),
  )(0);
  return {
    model_version: MODEL_VERSION,
    seed: DEFINITION_DEFAULTS.seed,
    index: 0,
    group: '',
    member: 0,
    profile: '',
    anchor_ms: 0,
    latitude,
    longitude,
    country,
    time_zone,
    location_source: source,
    load_annual_kwh: 0,
    ev_annual_kwh: 0,
    time_shift_minutes: 0,
    day_variation: 0,
    habits: { base_share: 0.25, lateness: 0 },
    pv: { rating_kw: 0, inverter_rating_kw: 0, tilt_deg: 0, azimuth_deg: 0 },
    battery: {
      capacity_kwh: 0,
      max_charge_power_w: 0,
      max_discharge_power_w: 0,
      initial_soc_percent: 0,
      efficiency: 1,
    },
    electric_vehicle: null,
    heat_pump: ratedPowerW === null ? ASSUMED_HEAT_PUMP : assumedHeatPumpOf(ratedPowerW),
  };
}
