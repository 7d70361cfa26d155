/** What people ask of their devices: names and units of the API, in which preferences are stored too. */

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface VehiclePreferences {
  /** `immediate`: charge as soon as plugged in; `smart`: at the least cost until `ready_by`. */
  readonly charge_policy: 'immediate' | 'smart';
  /** Charge up to it; null: the vehicle's own target. */
  readonly target_soc_percent: number | null;
  /** Charged at once up to it, whatever it costs. */
  readonly minimum_soc_percent: number;
  /** Local time HH:MM at which the vehicle is to be ready; null on days without a departure. */
  readonly ready_by: Readonly<Record<Weekday, string | null>>;
}

export interface HeatPumpPreferences {
  /** Indoor temperature that people want, C; null: the household's own. */
  readonly comfort_temperature_c: number | null;
  /** By how much a plan may let the house be colder and warmer than that, K. */
  readonly setback_k: number;
  readonly boost_k: number;
  /** Temperature to which the tank is heated, C; null: the tank's own. */
  readonly hot_water_temperature_c: number | null;
  /** Whether prices move heat in time. */
  readonly price_response: boolean;
}

export interface InverterPreferences {
  /** Charge of the battery that is kept. */
  readonly reserve_percent: number;
  /** Whether the battery may be charged from the grid. */
  readonly grid_charging: boolean;
  /** Whether prices move charging and discharging in time. */
  readonly price_response: boolean;
}

export const DEFAULT_VEHICLE_PREFERENCES: VehiclePreferences = {
  charge_policy: 'immediate',
  target_soc_percent: null,
  minimum_soc_percent: 10,
  ready_by: {
    monday: '07:00',
    tuesday: '07:00',
    wednesday: '07:00',
    thursday: '07:00',
    friday: '07:00',
    saturday: '07:00',
    sunday: '07:00',
  },
};

export const DEFAULT_HEAT_PUMP_PREFERENCES: HeatPumpPreferences = {
  comfort_temperature_c: null,
  setback_k: 1.5,
  boost_k: 1.5,
  hot_water_temperature_c: null,
  price_response: true,
};

export const DEFAULT_INVERTER_PREFERENCES: InverterPreferences = {
  reserve_percent: 5,
  grid_charging: false,
  price_response: false,
};

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Least and largest value of each preference that is a number, both allowed; the document says the same. */
export const PREFERENCE_BOUNDS = {
  target_soc_percent: { min: 0, max: 100 },
  minimum_soc_percent: { min: 0, max: 100 },
  comfort_temperature_c: { min: 10, max: 26 },
  setback_k: { min: 0, max: 4 },
  boost_k: { min: 0, max: 3 },
  // Below 45 C a tank would be helped before it is used; above 60 C most heat pumps cannot bring it.
  hot_water_temperature_c: { min: 45, max: 60 },
  reserve_percent: { min: 0, max: 100 },
} as const satisfies Readonly<Record<string, Bounds>>;
