import { isConditionCode } from '../domain/notifications/conditions.ts';
import type { ToldItem } from '../domain/notifications/told-item.ts';
import { CONDITIONS, markCondition } from './exceptions.ts';

interface Told {
  readonly kind: 'ok' | 'error' | 'warning' | 'neutral';
  readonly word: string;
  readonly icon?: string;
}

/** What an item tells, in a word. */
export function describeCode(code: string | null): Told {
  if (code === null) return { kind: 'neutral', word: 'Notice', icon: 'info' };
  if (isConditionCode(code)) return markCondition({ code });
  return code === 'charge_target_missed'
    ? { kind: 'warning', word: 'Charge target missed' }
    : { kind: 'warning', word: code };
}

/** What follows from it; the message of the item where that says it. */
export function describeConsequence(code: string | null, message: string): string {
  return code !== null && isConditionCode(code) ? CONDITIONS[code].consequence : message;
}

/** What of an item decides how it ends. */
type Ending = Pick<ToldItem, 'kind' | 'code' | 'ownerId'>;

/** How an item ends, and for whom. */
export function describeEnd({ kind, code, ownerId }: Ending, isSimulated: boolean): string {
  if (ownerId === null)
    return 'Who puts it away no longer sees it among what is open; everybody else still does.';
  if (kind === 'action')
    return 'It cannot be put away: it ends once the owner of the device has signed in at the manufacturer again.';
  if (code === 'device_offline')
    return `It ends by itself once the device is back${isSimulated ? '; in a simulation "Reconnect" on the page of the device ends it' : ''}. Who puts it away takes it off everybody's list of what is open; the outage lasts.`;
  if (code !== null && isConditionCode(code))
    return 'It ends once somebody puts it away, for everybody: that says that it was dealt with.';
  return 'It stays until somebody puts it away, for everybody.';
}

/** Which webhooks are told of it. */
export function describeTold({ kind, code }: Ending): string {
  if (code === null) return 'None is told of a notice that a person has written.';
  const topic = kind === 'action' ? 'device.action_required' : 'device.information';
  return `Each that was enabled and took ${topic} was told that it began; none is told that it ends.`;
}
