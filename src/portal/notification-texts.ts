import { isConditionCode } from '../domain/notifications/conditions.ts';
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
