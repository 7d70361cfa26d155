import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import type { DeviceEntry } from './device-day.ts';
import { tellCost } from './energy-cost.ts';
import type { QuarterPrices } from './energy-cost.ts';
import { formatEnergy } from './quantities.ts';
import { joinSentences } from './words.ts';

type Schemas = components['schemas'];

interface Told {
  readonly type: DeviceType;
  readonly entries: readonly DeviceEntry[];
  readonly prices: QuarterPrices;
  /** `Today until 14:15` or the date. */
  readonly dayName: string;
}

/**
 * What a vehicle or a heat pump took on a day, and what as much from the grid cost; empty for other devices, and where nobody has read
 * it.
 */
export function tellDeviceDay({ type, entries, prices, dayName }: Told): string {
  // The operation of a type answers with entries of that type.
  switch (type) {
    case 'electric_vehicle': {
      const charged = (entries as readonly Schemas['ElectricVehicleDataEntry'][]).map(
        ({ time, energy_charged_kwh: kilowattHours }) => ({ time, kilowattHours }),
      );
      return tell(`${dayName} it was charged at home with`, charged, prices);
    }
    case 'heat_pump': {
      const drawn = (entries as readonly Schemas['HeatPumpDataEntry'][]).map(
        ({ time, energy_kwh: kilowattHours }) => ({ time, kilowattHours }),
      );
      return tell(`${dayName} it drew`, drawn, prices);
    }
    case 'inverter':
    case 'wallbox':
      return '';
  }
}

function tell(done: string, energies: Parameters<typeof tellCost>[1], prices: QuarterPrices): string {
  const read = energies.flatMap(({ kilowattHours }) => kilowattHours ?? []);
  if (read.length === 0) return '';
  const sum = read.reduce((total, kilowattHours) => total + kilowattHours, 0);
  return joinSentences(
    `${done} ${formatEnergy(sum)}.`,
    tellCost('that much from the grid', energies, prices),
  );
}
