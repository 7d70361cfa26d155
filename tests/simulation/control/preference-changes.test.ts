import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_PREFERENCES,
  mergePreferences,
  readStoredPreferences,
  validateVehiclePreferences,
} from '../../../src/simulation/control/preference-changes.ts';
import { PREFERENCE_BOUNDS } from '../../../src/simulation/control/preferences.ts';

const defaults = DEFAULT_PREFERENCES;

describe('a change', () => {
  test('keeps what it leaves out, and sets back what is null', () => {
    const changed = mergePreferences('heat_pump', defaults.heat_pump, {
      setback_k: 0,
      price_response: false,
    });
    expect(changed).toEqual({ ...defaults.heat_pump, setback_k: 0, price_response: false });
    expect(mergePreferences('heat_pump', changed, { setback_k: null, boost_k: undefined })).toEqual({
      ...defaults.heat_pump,
      price_response: false,
    });
  });

  test('of a week changes the days that it names; null is a day without a departure', () => {
    const before = mergePreferences('electric_vehicle', defaults.electric_vehicle, {
      ready_by: { sunday: null, monday: '05:10' },
    });
    const { ready_by } = mergePreferences('electric_vehicle', before, { ready_by: { sunday: '09:00' } });
    expect(ready_by).toEqual({ ...defaults.electric_vehicle.ready_by, sunday: '09:00', monday: '05:10' });
    expect(mergePreferences('electric_vehicle', before, { ready_by: null })).toEqual(
      defaults.electric_vehicle,
    );
  });

  test('leaves what it is made of as it was', () => {
    const before = structuredClone(defaults);
    mergePreferences('electric_vehicle', defaults.electric_vehicle, { ready_by: { monday: null } });
    expect(defaults).toEqual(before);
  });
});

test('what was stored before a preference came has its default', () => {
  expect(readStoredPreferences('inverter', { grid_charging: true })).toEqual({
    ...defaults.inverter,
    grid_charging: true,
  });
});

test.each([
  [{ minimum_soc_percent: 80 }, 80, undefined],
  [{ minimum_soc_percent: 81 }, 80, '/minimum_soc_percent'],
  [{ minimum_soc_percent: 81, target_soc_percent: 81 }, 80, undefined],
  [{ target_soc_percent: 9 }, 80, '/target_soc_percent'],
  [{ target_soc_percent: 10 }, 80, undefined],
  [{}, 9, '/target_soc_percent'],
])('%j with an own target of %d: %s', (changes, ownTarget, pointer) => {
  const preferences = mergePreferences('electric_vehicle', defaults.electric_vehicle, changes);
  const errors = validateVehiclePreferences(preferences, changes, ownTarget);
  expect(errors.map((error) => [error.pointer, error.code])).toEqual(
    pointer === undefined ? [] : [[pointer, 'minimum_above_target']],
  );
});

test('the document has the same bounds', () => {
  const document = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8'),
  ) as { components: { schemas: Record<string, { properties: Record<string, object> }> } };
  for (const kind of ['Preferences', 'PreferencesUpdate']) {
    const properties = ['ElectricVehicle', 'HeatPump', 'Inverter'].map(
      (type) => document.components.schemas[type + kind]?.properties,
    );
    const all = Object.assign({}, ...properties) as Record<string, { minimum?: number; maximum?: number }>;
    for (const [name, { min, max }] of Object.entries(PREFERENCE_BOUNDS)) {
      expect([name, all[name]?.minimum, all[name]?.maximum]).toEqual([name, min, max]);
    }
  }
});
