/** Everything a form needs before it writes a definition: the fleet configuration (openapi/schemas/fleets.yaml). */
import { DEVICE_TYPES } from '../../domain/fleets/devices.ts';
import { FLEET_LIMITS } from '../../domain/fleets/fleet-limits.ts';
import { FLEET_STATES } from '../../domain/fleets/fleet-states.ts';
import { listFaultRates } from '../household/faults.ts';
import { DEFINITION_DEFAULTS } from '../definition/fleet-definition.ts';
import { BOUNDARY_VERSION, COUNTRY_CODES, findCountryBox } from '../environment/geography.ts';
import { MODEL_VERSION } from '../household/household.ts';
import { ARCHETYPES } from '../household/profiles.ts';

interface Country {
  readonly country: string;
  readonly name: string;
  readonly bounding_box: Readonly<Record<'north' | 'south' | 'east' | 'west', number>>;
}

let countries: readonly Country[] | undefined;

/** Countries by code, with their English names and bounding boxes in degrees; made once, in a millisecond or, with the first, 20. */
function listCountries(): readonly Country[] {
  countries ??= nameCountries();
  return countries;
}

function nameCountries(): Country[] {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  return COUNTRY_CODES.map((country) => {
    const [west = 0, south = 0, east = 0, north = 0] = findCountryBox(country) ?? [];
    return { country, name: names.of(country) ?? country, bounding_box: { north, south, east, west } };
  });
}

/** The fleet configuration as the API shows it. `faultsEnabled` is the server's setting SIMULATOR_FAULTS. */
export function buildSimulatorConfig(faultsEnabled: boolean) {
  return {
    model_version: MODEL_VERSION,
    limits: FLEET_LIMITS,
    defaults: {
      name: DEFINITION_DEFAULTS.name,
      count: DEFINITION_DEFAULTS.count,
      seed: DEFINITION_DEFAULTS.seed,
      history_days: DEFINITION_DEFAULTS.history_days,
      ev_ownership_fraction: DEFINITION_DEFAULTS.ev_ownership_fraction,
      profile: DEFINITION_DEFAULTS.profile,
      max_time_shift_minutes: DEFINITION_DEFAULTS.max_time_shift_minutes,
      variation_fraction: DEFINITION_DEFAULTS.variation_fraction,
      latitude: DEFINITION_DEFAULTS.latitude,
      longitude: DEFINITION_DEFAULTS.longitude,
      pv_rating_kw_range: DEFINITION_DEFAULTS.pv_rating_kw_range,
      battery_capacity_kwh_range: DEFINITION_DEFAULTS.battery_capacity_kwh_range,
      power_w_per_kwh: DEFINITION_DEFAULTS.power_w_per_kwh,
      initial_soc_percent: DEFINITION_DEFAULTS.initial_soc_percent,
      heat_pump_fraction: DEFINITION_DEFAULTS.heat_pump_fraction,
    },
    profiles: ARCHETYPES.map(({ name, description, annualKwh, sharePercent }) => ({
      name,
      description,
      annual_consumption_kwh: annualKwh,
      default_share: sharePercent / 100,
    })),
    device_types: [...DEVICE_TYPES],
    density: {
      origin: 'north_west',
      row_order: 'north_to_south',
      column_order: 'west_to_east',
      value_type: 'uint8',
      encodings: ['raw', 'gzip', 'zlib', 'deflate'],
      canonical_encoding: 'raw',
      boundary_version: BOUNDARY_VERSION,
    },
    countries: listCountries(),
    states: [...FLEET_STATES],
    faults_enabled: faultsEnabled,
    faults: listFaultRates(),
  };
}
