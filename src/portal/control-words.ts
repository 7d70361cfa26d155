import type { components } from '../../generated/openapi.ts';
import { toWords } from './words.ts';

type Control = components['schemas']['ControlState'];
type Words = Readonly<Record<string, string>>;
/** Both are open vocabularies; a test finds a value of the document that has no words here. */
const MODES: Words = {
  automatic: 'Its own habits',
  schedule: 'A plan made from prices',
  boost: 'A boost',
  interrupted: 'Not steered',
};

const REASONS: Words = {
  preference: 'people want it so',
  no_prices: 'it would follow prices, and none was known when this quarter hour began',
  cheapest_quarters: 'it takes the cheapest quarter hours that do',
  expected_prices: 'prices are not known yet, and are expected to be those of the day before',
  below_minimum: 'the vehicle is below its minimum charge',
  ready_by_passed: 'the vehicle was to be ready by now, and charges at once',
  next_plan: 'a plan begins at the next even hour of UTC, once the house is as its own habits would have it',
  boost_requested: 'somebody has asked for it',
  not_simulated: 'no fleet simulates the device',
  not_steered: 'until the next quarter hour',
  device_offline: 'it cannot be reached',
  reauthenticate: 'its owner has to sign in again',
  subscription_required: 'its subscription is missing',
  steering_recovery_failed: 'it did not come back from steering',
};

/** What decides about a device, and why, for people. */
export function describeControlState({ mode, reason }: Control): string {
  return `${MODES[mode] ?? toWords(mode)}: ${REASONS[reason] ?? toWords(reason)}.`;
}
