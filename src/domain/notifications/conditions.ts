import type { Content, DeviceType } from './envelope.ts';

/** What can be the matter with a device; conditions of one device are independent of each other. */
export const CONDITION_CODES = [
  'device_offline',
  'reauthenticate',
  'steering_recovery_failed',
  'subscription_required',
] as const;
export type ConditionCode = (typeof CONDITION_CODES)[number];

export type ItemKind = 'action' | 'information';

/** What somebody can resolve through this API is an action; all else is information. */
export function itemKindOf(code: ConditionCode): ItemKind {
  return code === 'reauthenticate' ? 'action' : 'information';
}

/**
 * An outage goes on though its notice was put away, so that it is told once, however long it lasts; nothing but
 * dismissal tells that somebody has taken care of the other notices.
 */
export function endsOnDismissal(code: ConditionCode): boolean {
  return itemKindOf(code) === 'information' && code !== 'device_offline';
}

export interface DeviceSubject {
  readonly deviceId: string;
  readonly deviceType: DeviceType;
  readonly ownerId: string;
}

/** The message that tells of a condition. On `device.information` the notice is the condition's code. */
export function conditionMessage(
  code: ConditionCode,
  { deviceId, deviceType, ownerId }: DeviceSubject,
): Content {
  const data = { device_id: deviceId, device_type: deviceType, owner_id: ownerId };
  return code === 'reauthenticate'
    ? { type: 'device.action_required', data: { ...data, action: 'reauthentication_required' } }
    : { type: 'device.information', data: { ...data, notice: code } };
}
