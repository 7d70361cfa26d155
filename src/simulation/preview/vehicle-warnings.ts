/** What a preview says of vehicles that will not charge as much as the definition asks for. */
import type { ElectricVehicle } from '../household/equipment.ts';
import { isPresent } from '../definition/fleet-definition.ts';
import type { EffectiveDefinition, DefinitionWarning } from '../definition/fleet-definition.ts';
import type { Household } from '../household/household.ts';
import { DRIVING_DAYS_PER_YEAR } from '../devices/trips.ts';
import { CHARGE_EFFICIENCY, MIN_SOC_PERCENT } from '../devices/vehicle.ts';

/** Part of a full charge on every driving day that is met: 99.5 % at 0.6, 98.3 % at 0.7, 89 % at 1 (measured). */
const RELIABLE_SHARE_OF_FULL_CHARGE = 0.6;
/** Time at the plug in a night that can be counted on. */
const NIGHT_HOURS = 10;

/** Home charging in kWh a year that a vehicle takes in full: its battery and charger bound what a session brings. */
export function maxYearlyHomeChargingKwh(vehicle: ElectricVehicle): number {
  const usable = ((vehicle.target_soc_percent - MIN_SOC_PERCENT) / 100) * vehicle.battery_kwh;
  const night = (vehicle.charger_power_w / 1000) * NIGHT_HOURS * CHARGE_EFFICIENCY;
  return (
    (RELIABLE_SHARE_OF_FULL_CHARGE * DRIVING_DAYS_PER_YEAR * Math.min(usable, night)) / CHARGE_EFFICIENCY
  );
}

/** One warning for each field that asks for too much, or leaves nothing to charge. */
export function listVehicleWarnings(
  { groups, annual_consumption_with_ev_kwh: ofFleet }: EffectiveDefinition,
  households: readonly Household[],
): DefinitionWarning[] {
  const field = 'annual_consumption_with_ev_kwh';
  const pointers = new Map(
    groups.map((group, i) => [group.name, isPresent(group[field]) ? `/groups/${i}/${field}` : `/${field}`]),
  );
  const asking = new Map<string, Household[]>();
  for (const household of households) {
    if (!household.electric_vehicle) continue;
    const pointer = pointers.get(household.group) ?? '';
    const owners = asking.get(pointer);
    if (owners) owners.push(household);
    else asking.set(pointer, [household]);
  }
  return [...asking].flatMap(([pointer, owners]) => {
    if (pointer === `/${field}` && !isPresent(ofFleet)) return [];
    return [limitedEnergyWarning(pointer, owners), noEnergyWarning(pointer, owners)].flatMap(
      (warning) => warning ?? [],
    );
  });
}

function limitedEnergyWarning(pointer: string, owners: readonly Household[]): DefinitionWarning | undefined {
  const limits = owners.flatMap(({ electric_vehicle: vehicle, ev_annual_kwh: asked }) => {
    const carried = vehicle ? maxYearlyHomeChargingKwh(vehicle) : 0;
    return asked > carried ? [{ asked, carried }] : [];
  });
  if (limits.length === 0) return undefined;
  const most = Math.round(Math.max(...limits.map(({ asked }) => asked)));
  const least = Math.round(Math.min(...limits.map(({ carried }) => carried)));
  const detail = `${limits.length} of ${owners.length} vehicles are asked to charge up to ${most} kWh a year; battery, charger and trips carry some ${least} kWh in full, so they will consume less.`;
  return { pointer, code: 'vehicle_energy_limited', detail };
}

function noEnergyWarning(pointer: string, owners: readonly Household[]): DefinitionWarning | undefined {
  const empty = owners.filter(({ ev_annual_kwh: asked }) => asked === 0).length;
  if (empty === 0) return undefined;
  const detail = `${empty} of ${owners.length} vehicles never charge: the total leaves nothing beside what the household consumes without a vehicle.`;
  return { pointer, code: 'vehicle_energy_none', detail };
}
