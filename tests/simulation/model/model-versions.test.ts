import { expect, test } from 'vitest';
import { UNSTEERED } from '../../../src/simulation/control/steering.ts';
import {
  MODEL_VERSIONS,
  createModelOfVersion,
  parseStoredHousehold,
} from '../../../src/simulation/model/model-versions.ts';
import type { ModelVersion, ModelVersions } from '../../../src/simulation/model/model-versions.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { MODEL_VERSION } from '../../../src/simulation/household/household.ts';
import type { Household } from '../../../src/simulation/household/household.ts';
import { first, households } from '../fleet.ts';

const household = first(households({ count: 1, ev_ownership_fraction: 1 }));
const stored = (changes: object): unknown => JSON.parse(JSON.stringify({ ...household, ...changes }));

test('the version that new fleets get is known, and reads what it stores', () => {
  expect([...MODEL_VERSIONS.keys()]).toContain(MODEL_VERSION);
  expect(parseStoredHousehold(stored({}))).toEqual(household);
});

test('a stored household in a wrong shape is refused by version and field', () => {
  const wrong = (changes: object) => () => parseStoredHousehold(stored(changes));
  expect(wrong({ seed: undefined })).toThrow(/model version 2 .* "seed", not nothing/);
  expect(wrong({ pv: { ...household.pv, rating_kw: null } })).toThrow(
    /a finite number in "pv.rating_kw", not null/,
  );
  expect(wrong({ electric_vehicle: {} })).toThrow(/"electric_vehicle.battery_kwh"/);
  expect(wrong({ heat_pump: 'air' })).toThrow(/an object in "heat_pump", not "air"/);
  expect(wrong({ country: 7 })).toThrow(/"country"/);
  expect(wrong({ model_version: 7 })).toThrow(/of model version 7; the versions known are 2\./);
  for (const attributes of [null, {}, 'x']) {
    expect(() => parseStoredHousehold(attributes)).toThrow(RangeError);
  }
});

test('a version that only this test has reads and computes its own households beside the released one', () => {
  const versions: ModelVersions = new Map<number, ModelVersion>([
    ...MODEL_VERSIONS,
    [
      3,
      {
        parseHousehold: (attributes: unknown): Household => {
          const { load_mwh, ...rest } = attributes as Household & { readonly load_mwh: number };
          return { ...rest, load_annual_kwh: load_mwh * 1000 };
        },
        createModel: (of, steering) =>
          createHouseholdModel({ ...of, load_annual_kwh: 2 * of.load_annual_kwh }, steering),
      },
    ],
  ]);
  const second = parseStoredHousehold(stored({ model_version: 3, load_mwh: 3 }), versions);
  expect(second).toMatchObject({ model_version: 3, load_annual_kwh: 3000 });
  const day = Math.floor(household.anchor_ms / 86_400_000) + 1;
  const loadOf = (of: Household): number =>
    createModelOfVersion(of, UNSTEERED, versions)
      .day(day)
      .load.reduce((sum, each) => sum + each, 0);
  const ofFirst = loadOf({ ...household, load_annual_kwh: 6000 });
  expect(loadOf(second)).toBe(ofFirst);
  expect(() => createModelOfVersion(second, UNSTEERED)).toThrow(/model version 3/);
});
