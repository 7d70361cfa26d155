import type { Content, DeviceType } from './envelope.ts';

/** The conditions that a device can be in; those of one device are independent of each other. */
export const CONDITION_CODES = [
  'device_offline',
  'reauthenticate',
  'steering_recovery_failed',
  'subscription_required',
] as const;
export type ConditionCode = (typeof CONDITION_CODES)[number];

/** What is told of a device: its conditions, and what a plan has found. */
export const NOTICE_CODES = [...CONDITION_CODES, 'charge_target_missed'] as const;
export type NoticeCode = (typeof NOTICE_CODES)[number];

/** Whether a notice tells of a condition, in which a device is until it ends. */
export function isConditionCode(code: string): code is ConditionCode {
  return (CONDITION_CODES as readonly string[]).includes(code);
}

export type ItemKind = 'action' | 'information';

/** A condition that can be resolved through this API makes an action; all others make information. */
export function itemKindOf(code: NoticeCode): ItemKind {
  return code === 'reauthenticate' ? 'action' : 'information';
}

/**
 * Whether dismissing the notice ends the condition. An outage lasts although its notice was dismissed, so that it is
 * reported once, however long it lasts; of the other conditions only the dismissal shows that they were dealt with.
 */
export function endsOnDismissal(code: ConditionCode): boolean {
  return itemKindOf(code) === 'information' && code !== 'device_offline';
}

export interface DeviceSubject {
  readonly deviceId: string;
  readonly deviceType: DeviceType;
  readonly ownerId: string;
}

/** The content of the message about a device; in `device.information` the notice is the code. */
export function noticeMessage(code: NoticeCode, { deviceId, deviceType, ownerId }: DeviceSubject): Content {
  const data = { device_id: deviceId, device_type: deviceType, owner_id: ownerId };
  return code === 'reauthenticate'
    ? { type: 'device.action_required', data: { ...data, action: 'reauthentication_required' } }
    : { type: 'device.information', data: { ...data, notice: code } };
}
