import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { OperationId } from '../../generated/routes.ts';
import type { SteeredType } from '../../src/simulation/control/preference-changes.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api, Person } from '../support/api.ts';
import type { Answer, Call } from '../support/api-client.ts';
import { addDevice } from '../support/fleet-records.ts';

// Two minutes after a quarter hour; the next one begins at 12:15.
export const NOW = '2026-06-15T12:02:00.000Z';
export const NEXT = '2026-06-15T12:15:00.000Z';

export const STEERED_TYPES = ['electric_vehicle', 'heat_pump', 'inverter'] as const satisfies SteeredType[];

const NAMES = {
  electric_vehicle: { noun: 'ElectricVehicle', parameter: 'electric_vehicle_id' },
  heat_pump: { noun: 'HeatPump', parameter: 'heat_pump_id' },
  inverter: { noun: 'Inverter', parameter: 'inverter_id' },
} as const satisfies Record<SteeredType, object>;

export type Verb = 'get' | 'update' | 'list' | 'start' | 'end';
const ENDINGS = {
  get: 'Preferences',
  update: 'Preferences',
  list: 'PreferenceRevisions',
  start: 'Boost',
  end: 'Boost',
} as const satisfies Record<Verb, string>;

interface AskedDevice {
  readonly id: string;
  /** One of the operations on its preferences and boosts; by the admin unless a token says otherwise. */
  call(verb: Verb, call?: Call): Promise<Answer>;
}

interface PreferencesFixture {
  readonly api: Api;
  /** A user of our partner; another one in each test. */
  readonly owner: Person;
  /** A device that no fleet simulates. */
  deviceOf(type: SteeredType, owner?: Person): Promise<AskedDevice>;
}

/** For a test file: the API two minutes after a quarter hour, and devices of which something may be asked. */
export function preferencesFixture(): PreferencesFixture {
  const set = {} as { -readonly [Key in keyof PreferencesFixture]: PreferencesFixture[Key] };
  beforeAll(async () => {
    set.api = await startApi({ now: new Date(NOW) });
  });
  afterAll(() => set.api.close());
  beforeEach(async () => {
    set.api.clock.set(NOW);
    set.owner = await addPerson(set.api.db, set.api.own.orgId, 'user', set.api.clock.now());
  });
  set.deviceOf = async (type, { orgId, id: userId } = set.owner) => {
    const { api } = set;
    const id = await addDevice(api.db, { orgId, userId }, api.clock.now(), type);
    const { noun, parameter } = NAMES[type];
    return {
      id,
      call: (verb, { path, ...call } = {}) =>
        api.call(`${verb}${noun}${ENDINGS[verb]}` as OperationId, {
          path: { user_id: userId, [parameter]: id, ...path },
          ...call,
        }),
    };
  };
  return set;
}

/** Who asked, as a revision shows it. */
export const by = (person: Person) => ({ user_id: person.id, org_id: person.orgId, role: person.role });
