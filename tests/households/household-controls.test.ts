import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toHouseholdControl } from '../../src/households/asked-control.ts';
import { internControl, loadControls, NOTHING_ASKED } from '../../src/households/household-controls.ts';
import type { ControlledRow, VersionedControl } from '../../src/households/household-controls.ts';
import type { EffectiveRevision } from '../../src/queries/fleets/household-controls.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { DEFAULT_PREFERENCES } from '../../src/simulation/control/preference-changes.ts';
import { OPEN_END } from '../../src/simulation/control/revisions.ts';
import type { ConditionCode } from '../../src/domain/notifications/conditions.ts';
import { packInterruptions } from '../../src/domain/notifications/packed-interruptions.ts';
import { addPerson, startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { addDevice } from '../support/fleet-records.ts';

const QUARTER_MS = 900_000;
const at = (quarter: number): number => quarter * QUARTER_MS;
const HOME = { latitude: 48, longitude: 14 };

describe('what was asked becomes what steers:', () => {
  const asked = (from: number, setback_k: number, boostEnd?: number): EffectiveRevision => ({
    user_id: 'u',
    device_type: 'heat_pump',
    from,
    preferences: JSON.stringify({ setback_k }),
    boost_end: boostEnd ?? null,
  });
  const heatPump = (...revisions: EffectiveRevision[]) => toHouseholdControl(revisions, [], HOME).heatPump;
  test('quarter hours without steering, of a car those of its wallbox too', () => {
    const interruption = (code: ConditionCode, first: number, end: number | null) => ({
      code,
      readUntilMs: at(first - 1),
      endedAtMs: end === null ? null : at(end - 1),
      unsteeredFrom: first,
      unsteeredTo: end,
    });
    const control = toHouseholdControl([], [], HOME, {
      heat_pump: packInterruptions([
        interruption('steering_recovery_failed', 10, 14),
        interruption('device_offline', 12, 16),
      ]),
      electric_vehicle: packInterruptions([interruption('reauthenticate', 20, null)]),
      wallbox: packInterruptions([interruption('device_offline', 18, 19)]),
    });
    expect(control.heatPump.unsteered).toEqual([{ first: 10, end: 16 }]);
    expect(control.electricVehicle.unsteered).toEqual([
      { first: 18, end: 19 },
      { first: 20, end: OPEN_END },
    ]);
    expect(control.inverter.unsteered).toEqual([]);
  });

  const value = (setback_k: number) => ({ ...DEFAULT_PREFERENCES.heat_pump, setback_k });

  test('preferences once each, though a boost repeats them', () => {
    expect(heatPump(asked(10, 1), asked(12, 1, 20), asked(14, 2, 20), asked(15, 2)).preferences).toEqual([
      { from: 10, value: value(1) },
      { from: 14, value: value(2) },
    ]);
  });

  test.each([
    ['to its end', [asked(10, 1, 14), asked(20, 1)], [[10, 14]]],
    ['to the revision that ends it', [asked(10, 1, 14), asked(12, 1)], [[10, 12]]],
    ['as one while it goes on', [asked(10, 1, 14), asked(11, 2, 14), asked(12, 2, 18)], [[10, 18]]],
    ['shorter, when another takes its place', [asked(10, 1, 20), asked(12, 1, 14)], [[10, 14]]],
    [
      'twice, with time between',
      [asked(10, 1, 12), asked(14, 1, 16)],
      [
        [10, 12],
        [14, 16],
      ],
    ],
    ['not at all when it is over before it begins', [asked(10, 1, 10)], []],
  ] as const)('a boost %s', (_name, revisions, spans) => {
    expect(heatPump(...revisions).boosts).toEqual(spans.map(([first, end]) => ({ first, end })));
  });

  test('the devices of a household apart, and the places where it was', () => {
    const vehicle: EffectiveRevision = {
      ...asked(10, 1),
      device_type: 'electric_vehicle',
      preferences: JSON.stringify({ charge_policy: 'smart' }),
    };
    const place = { user_id: 'u', from: 12 };
    const control = toHouseholdControl(
      [vehicle, asked(11, 1)],
      [
        { ...place, latitude: 1, longitude: 2 },
        { ...place, from: 13, latitude: null, longitude: null },
      ],
      HOME,
    );
    expect(control).toEqual({
      ...UNCONTROLLED,
      electricVehicle: {
        ...UNCONTROLLED.electricVehicle,
        preferences: [
          { from: 10, value: { ...DEFAULT_PREFERENCES.electric_vehicle, charge_policy: 'smart' } },
        ],
      },
      heatPump: { ...UNCONTROLLED.heatPump, preferences: [{ from: 11, value: value(1) }] },
      places: [
        { from: 12, value: { latitude: 1, longitude: 2 } },
        { from: 13, value: HOME },
      ],
    });
  });
});

describe('loading', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  /** A user with a heat pump of which so much was asked, as the row of household `index`. */
  async function rowOf(index: number, version: number): Promise<ControlledRow> {
    const { orgId } = api.own;
    const { id: userId } = await addPerson(api.db, orgId, 'user', api.clock.now());
    const deviceId = await addDevice(api.db, { orgId, userId }, api.clock.now(), 'heat_pump');
    for (let i = 0; i < version; i++) {
      await api.call('updateHeatPumpPreferences', {
        path: { user_id: userId, heat_pump_id: deviceId },
        body: { setback_k: (i % 4) + 0.5 },
      });
    }
    return {
      org_id: orgId,
      user_id: userId,
      household_index: index,
      control_version: version,
      household_created_at: new Date(0),
      attributes: HOME,
    };
  }

  /** How many answers of the database it takes. */
  async function countStatements(rows: readonly ControlledRow[]): Promise<number> {
    let count = 0;
    const counting = api.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        count += 1;
        return Promise.resolve(result);
      },
    });
    await loadControls(counting, api.own.orgId, rows);
    return count;
  }

  test('gives the same object while the version is the same, and reads nothing again', async () => {
    const rows = [await rowOf(0, 1), await rowOf(1, 2), await rowOf(2, 0)];
    const first = await loadControls(api.db, api.own.orgId, rows);
    expect([...first.keys()]).toEqual([0, 1]);
    expect(first.get(1)?.control.heatPump.preferences).toMatchObject([{ value: { setback_k: 1.5 } }]);

    expect(await countStatements(rows)).toBe(0);
    expect((await loadControls(api.db, api.own.orgId, rows)).get(0)).toBe(first.get(0));

    const [row] = rows;
    const changed = await loadControls(api.db, api.own.orgId, [
      { ...row, control_version: 2 } as ControlledRow,
    ]);
    expect(changed.get(0)).not.toBe(first.get(0));
    expect(changed.get(0)?.control).toEqual(first.get(0)?.control);
    // Another household of that index.
    expect(await countStatements([{ ...row, household_created_at: new Date(1) } as ControlledRow])).toBe(3);
  });

  test('reads the households of a page by three statements, and those of many changes by themselves', async () => {
    const rows = await Promise.all(Array.from({ length: 20 }, (_, i) => rowOf(100 + i, 1)));
    expect(await countStatements(rows)).toBe(3);
    const many = rows.map((row) => ({ ...row, control_version: 1_000 }));
    expect(await countStatements(many.slice(0, 3))).toBe(9);
  });

  test('on another thread gives the same object for the same version', () => {
    const orgId = randomUUID();
    const control = { ...UNCONTROLLED, places: [{ from: 1, value: HOME }] };
    const sent = (version: number, createdMs = 0) =>
      structuredClone({ version, createdMs, control, interruptions: {} });
    const first = internControl(orgId, 0, orgId, sent(1));
    expect(internControl(orgId, 0, orgId, sent(1))).toBe(first);
    expect(internControl(orgId, 0, orgId, sent(2))).not.toBe(first);
    expect(internControl(orgId, 0, orgId, sent(2, 1))).not.toBe(internControl(orgId, 0, orgId, sent(2)));
    expect(internControl(orgId, 1, orgId, structuredClone(NOTHING_ASKED))).toBe(UNCONTROLLED);
  });

  test('of a partner 16 MB are kept, and what is kept of another one stays', () => {
    const sent = (): VersionedControl => ({
      version: 1,
      createdMs: 0,
      control: { ...UNCONTROLLED, places: [{ from: 1, value: HOME }] },
      // Each of a megabyte.
      interruptions: { heat_pump: new Float64Array(131_072) },
    });
    const intern = (id: string, index: number) => internControl(id, index, id, sent());
    const [one, other] = [randomUUID(), randomUUID()];
    const ofOther = intern(other, 0);
    const controls = Array.from({ length: 32 }, (_, index) => intern(one, index));
    const isKept = controls
      .map((_, index) => 31 - index)
      .map((index) => intern(one, index) === controls[index]);
    expect(isKept.filter(Boolean)).toHaveLength(15);
    expect(intern(other, 0)).toBe(ofOther);
  });
});
