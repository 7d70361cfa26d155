import type { HeatPump } from '../simulation/household/equipment.ts';
import { DEFINITION_DEFAULTS } from '../simulation/definition/fleet-definition.ts';
import { MODEL_VERSION } from '../simulation/household/household.ts';
import type { Household } from '../simulation/household/household.ts';
import { splitSeed } from '../simulation/kernel/noise.ts';
import { createHouseholdLocationLookup } from '../simulation/definition/household-location.ts';

/** The middle of what simulated households have (src/simulation/household/equipment.ts): a single-family house with radiators. */
const ASSUMED_HEAT_PUMP: HeatPump = {
  annual_heat_kwh: 14_000,
  rated_power_w: 4_250,
  source: 'air',
  emitter: 'radiator',
};

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
    pv: { rating_kw: 0, tilt_deg: 0, azimuth_deg: 0 },
    battery: {
      capacity_kwh: 0,
      max_charge_power_w: 0,
      max_discharge_power_w: 0,
      initial_soc_percent: 0,
      efficiency: 1,
    },
    electric_vehicle: null,
    heat_pump: { ...ASSUMED_HEAT_PUMP, rated_power_w: ratedPowerW ?? ASSUMED_HEAT_PUMP.rated_power_w },
  };
}
