import { UNCONTROLLED } from '../simulation/control/household-control.ts';
import type { HouseholdControl, Place } from '../simulation/control/household-control.ts';
import { NO_PRICES } from '../simulation/control/price-book.ts';
import type { Steering } from '../simulation/control/steering.ts';
import type { Household } from '../simulation/household/household.ts';

const KIB = 1_024;

/** Of a household as it is read, without any model. */
export const BYTES_OF_HOUSEHOLD: number = 6 * KIB;
/** Of a model that has computed some days, as a test measures them: of load, panels and a battery that nobody steers. */
const BYTES_OF_MODEL = 30 * KIB;
const BYTES_OF_VEHICLE = 10 * KIB;
/** Of a house whose heat pump follows its thermostat. */
const BYTES_OF_HEAT_PUMP = 20 * KIB;
/** Of windows and plans where it follows prices or people. */
const BYTES_OF_WINDOWS = 50 * KIB;
const BYTES_OF_STEERED_VEHICLE = 55 * KIB;
const BYTES_OF_STEERED_BATTERY = 55 * KIB;
/** Of the weather of a place, which goes with the model that has looked at it. */
const BYTES_OF_PLACE = 8_448;
/** Of the panels at a place from a quarter hour on. */
const BYTES_OF_MOVE = 384;
/** Of what holds for a heat pump from a quarter hour on, and of what follows from preferences, which revisions share. */
const BYTES_OF_CIRCUMSTANCES = 128;
const BYTES_OF_DEMAND = 2_048;
/** Of a quarter hour in which a boost or a time without steering begins or ends. */
const BYTES_OF_INTERVENTION = 48;

/** What a household with its model takes of a process's memory, in bytes, without its control and prices, which are kept elsewhere. */
export function bytesOfModel(household: Household, { prices, control }: Steering): number {
  const { electricVehicle, inverter, places } = control;
  const isPumpSteered = prices !== NO_PRICES || control !== UNCONTROLLED;
  let bytes = BYTES_OF_HOUSEHOLD + BYTES_OF_MODEL + BYTES_OF_PLACE;
  if (household.electric_vehicle) bytes += BYTES_OF_VEHICLE;
  if (household.electric_vehicle && electricVehicle.preferences.length > 0) bytes += BYTES_OF_STEERED_VEHICLE;
  if (inverter.preferences.length + inverter.boosts.length > 0) bytes += BYTES_OF_STEERED_BATTERY;
  if (household.heat_pump) bytes += BYTES_OF_HEAT_PUMP + (isPumpSteered ? bytesOfWindows(control) : 0);
  return bytes + places.length * BYTES_OF_MOVE + countPlaces(places) * BYTES_OF_PLACE;
}

function bytesOfWindows({ heatPump, places }: HouseholdControl): number {
  const { preferences, boosts, unsteered } = heatPump;
  const demands = new Set(preferences.map(({ value }) => value)).size;
  return (
    BYTES_OF_WINDOWS +
    (preferences.length + places.length) * BYTES_OF_CIRCUMSTANCES +
    demands * BYTES_OF_DEMAND +
    2 * (boosts.length + unsteered.length) * BYTES_OF_INTERVENTION
  );
}

const countPlaces = (places: readonly { readonly value: Place }[]): number =>
  new Set(places.map(({ value: { latitude, longitude } }) => `${latitude} ${longitude}`)).size;
