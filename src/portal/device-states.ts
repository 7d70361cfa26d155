import { describeControlState } from './control-words.ts';
import type { Device, Preferences } from './device-operations.ts';
import { formatPower } from './quantities.ts';
import { formatMinute } from './times.ts';
import { toWords } from './words.ts';

/** What a device does, in a few words. */
export function describeState(device: Device): string {
  switch (device.device_type) {
    case 'electric_vehicle': {
      const {
        soc_percent: soc,
        target_soc_percent: target,
        plugged_in: isPluggedIn,
        charge_power_w: watts,
      } = device.state;
      const doing = watts > 0 ? `charging with ${formatPower(watts)}` : isPluggedIn ? 'plugged in' : 'away';
      return `${soc} % of ${target} %, ${doing}`;
    }
    case 'heat_pump': {
      const { mode, power_w: watts, indoor_temperature_c: indoor } = device.state;
      const rooms = indoor === null ? '' : `, rooms at ${indoor.toFixed(1)} °C`;
      return `${toWords(mode)} with ${formatPower(watts)}${rooms}`;
    }
    case 'inverter': {
      const { pv_power_w: pv, soc_percent: soc, grid_power_w: grid } = device.state;
      const flow = grid < 0 ? `${formatPower(-grid)} fed in` : `${formatPower(grid)} from the grid`;
      return `panels ${formatPower(pv)}, battery ${soc} %, ${flow}`;
    }
    case 'wallbox': {
      const { plugged_in: isPluggedIn, power_w: watts } = device.state;
      return watts > 0 ? `gives ${formatPower(watts)}` : isPluggedIn ? 'vehicle plugged in' : 'free';
    }
  }
}

/** Why it does so, as far as it is steered. */
export function describeControl(device: Device): string | undefined {
  return device.device_type === 'wallbox' ? undefined : describeControlState(device.state.control);
}

const BOOSTS: Readonly<Record<Preferences['device_type'], string>> = {
  electric_vehicle: 'charges to its target at once whenever it is plugged in, whatever the price',
  heat_pump: 'heats rooms and hot water as warm as its preferences allow, whatever the price',
  inverter: 'charges the battery at full power, from the grid too, whatever the price',
};

/** What a boost does to a device, and until when the present one goes on. */
export function describeBoost({ device_type: type, boost_ends_at: endsAt }: Preferences): {
  readonly text: string;
  readonly isUnderWay: boolean;
} {
  return endsAt === null
    ? { text: `From the next quarter hour on it ${BOOSTS[type]}.`, isUnderWay: false }
    : { text: `Until ${formatMinute(new Date(endsAt))} UTC it ${BOOSTS[type]}.`, isUnderWay: true };
}
