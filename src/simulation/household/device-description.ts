/** What the devices of a household are called and rated: the fixed half of a device record (openapi/schemas/devices.yaml). */
import type { DeviceRatings, DeviceType } from '../../domain/fleets/devices.ts';
import type { Household } from './household.ts';
import { listDeviceTypes } from './household.ts';
import { deriveDeviceId } from './identity.ts';
import { NOISE_CHANNEL, hashCounter, splitSeed } from '../kernel/noise.ts';

/** Ratings of a device to which none applies. */
export const NO_RATINGS: DeviceRatings = {
  rated_power_w: null,
  pv_rating_kw: null,
  battery_capacity_kwh: null,
  max_charge_power_w: null,
  max_discharge_power_w: null,
};

export interface DeviceDescription {
  readonly device_id: string;
  readonly device_type: DeviceType;
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly ratings: DeviceRatings;
}

/** Makers are invented, so that nobody takes a simulated device for a real one. */
const MANUFACTURERS: Readonly<Record<DeviceType, readonly [name: string, manufacturers: readonly string[]]>> =
  {
    electric_vehicle: ['Electric vehicle', ['Ampera Nova', 'Volterra', 'Nordlicht Motors']],
    heat_pump: ['Heat pump', ['Thermona', 'Warmwerk', 'Kelvin & Cie']],
    inverter: ['Inverter', ['Solaria Nova', 'Lumenwerk', 'Heliodor']],
    wallbox: ['Wallbox', ['Ladewerk', 'Chargeon', 'Plugwise Nova']],
  };

/** The devices of a household in the order of its device types, with ids, names and ratings. */
export function describeDevices(job: string, household: Household): DeviceDescription[] {
  const seed = splitSeed(household.seed);
  return listDeviceTypes(household).map((type, position) => {
    const [name, manufacturers] = MANUFACTURERS[type];
    const drawn = hashCounter(seed, household.index, NOISE_CHANNEL.model, position);
    const { model, ratings } = deriveModelAndRatings(household, type);
    return {
      device_id: deriveDeviceId(job, household.index, type),
      device_type: type,
      name,
      manufacturer: manufacturers[drawn % manufacturers.length] ?? '',
      model,
      ratings,
    };
  });
}

function deriveModelAndRatings(
  household: Household,
  type: DeviceType,
): { model: string; ratings: DeviceRatings } {
  const { electric_vehicle: vehicle, heat_pump: pump, pv, battery } = household;
  switch (type) {
    case 'electric_vehicle':
      return {
        model: `EV ${vehicle?.battery_kwh ?? 0}`,
        ratings: {
          ...NO_RATINGS,
          rated_power_w: vehicle?.charger_power_w ?? null,
          battery_capacity_kwh: vehicle?.battery_kwh ?? null,
          max_charge_power_w: vehicle?.charger_power_w ?? null,
        },
      };
    case 'heat_pump':
      return {
        model: `HP ${((pump?.rated_power_w ?? 0) / 1000).toFixed(1)} ${pump?.source ?? ''}`,
        ratings: { ...NO_RATINGS, rated_power_w: pump?.rated_power_w ?? null },
      };
    case 'inverter':
      return {
        model: `PV ${pv.rating_kw} B ${battery.capacity_kwh}`,
        ratings: {
          rated_power_w: Math.round(pv.inverter_rating_kw * 1000),
          pv_rating_kw: pv.rating_kw,
          battery_capacity_kwh: battery.capacity_kwh,
          max_charge_power_w: battery.max_charge_power_w,
          max_discharge_power_w: battery.max_discharge_power_w,
        },
      };
    case 'wallbox':
      return {
        model: `WB ${((vehicle?.charger_power_w ?? 0) / 1000).toFixed(1)}`,
        ratings: {
          ...NO_RATINGS,
          rated_power_w: vehicle?.charger_power_w ?? null,
          max_charge_power_w: vehicle?.charger_power_w ?? null,
        },
      };
  }
}
