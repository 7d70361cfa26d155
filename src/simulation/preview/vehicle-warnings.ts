/** What a preview says of vehicles that will not charge as much as the definition asks for. */
import { mostHomeChargingKwh } from '../cars/carried-energy.ts';
import { isPresent } from '../definition/fleet-definition.ts';
import type { EffectiveDefinition, DefinitionWarning } from '../definition/fleet-definition.ts';
import type { Household } from '../household/household.ts';

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
  const limits = owners.flatMap((household) => {
    const { electric_vehicle: vehicle, ev_annual_kwh: asked } = household;
    const carried = vehicle ? mostHomeChargingKwh(household, vehicle) : 0;
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
