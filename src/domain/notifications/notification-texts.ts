import type { NoticeCode } from './conditions.ts';
import type { DeviceType } from './envelope.ts';

export interface NamedDevice {
  readonly deviceType: DeviceType;
  readonly name: string;
  readonly manufacturer: string;
}

/** The text of a notice for the user: the problem, then what to do about it. */
export function notificationText(code: NoticeCode, device: NamedDevice): string {
  const { name, manufacturer, deviceType } = device;
  switch (code) {
    case 'charge_target_missed':
      return `${name} cannot be charged to its target until it is to be ready. Plug it in earlier, let it be ready later, or set a lower target.`;
    case 'device_offline':
      return `${name} cannot be reached. ${OFFLINE_ADVICE[deviceType]}`;
    case 'reauthenticate':
      return `The connection to ${manufacturer} has expired. Sign in there again, so that ${name} can be ${PURPOSE[deviceType]}.`;
    case 'steering_recovery_failed':
      return `${name} does not follow its schedule, and attempts to recover have failed. ${STEERING_ADVICE[deviceType]}`;
    case 'subscription_required':
      return `${manufacturer} asks for a subscription for ${name}. Take it out or renew it with ${manufacturer}, so that ${name} can be ${PURPOSE[deviceType]}.`;
  }
}

const OFFLINE_ADVICE: Readonly<Record<DeviceType, string>> = {
  electric_vehicle:
    'It may be parked without mobile reception; drive it to a place that has some, or wake it in its app.',
  heat_pump: 'Check that it has power and that its network cable or Wi-Fi is connected.',
  inverter: 'Check that it has power and that your home network reaches it.',
  wallbox: 'Check its fuse and that your home network reaches it.',
};

const STEERING_ADVICE: Readonly<Record<DeviceType, string>> = {
  electric_vehicle: 'Check in its app that charging is not limited there, and plug it in again.',
  heat_pump: 'Check that it is in automatic mode and that external control is switched on.',
  inverter: 'Check that external control of the battery is permitted in its settings.',
  wallbox: 'Unplug the vehicle, switch the wallbox off and on, and plug the vehicle in again.',
};

const PURPOSE: Readonly<Record<DeviceType, string>> = {
  electric_vehicle: 'charged when it is cheapest',
  heat_pump: 'run when it is cheapest',
  inverter: 'read and steered',
  wallbox: 'read and steered',
};
