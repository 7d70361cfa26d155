import type { Request } from 'express';
import type { FieldError } from '../domain/api/problem.ts';
import type { Preferences } from './device-operations.ts';
import { readPrecondition, readVersion, versionOf } from './form-versions.ts';
import { readFormField, toNumber } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { placeErrors } from './placed-errors.ts';

interface PreferenceField {
  /** Where the value stands in the body. */
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: 'number' | 'time' | 'choice' | 'switch';
  readonly choices?: Readonly<Record<string, string>>;
}

const SWITCH = { true: 'Yes', false: 'No' };
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const number = (path: string, label: string, hint: string): PreferenceField => ({
  path,
  label,
  hint,
  kind: 'number',
});
const decision = (path: string, label: string, hint: string): PreferenceField => ({
  path,
  label,
  hint,
  kind: 'switch',
  choices: SWITCH,
});

/** What can be asked of a device of each type, with what follows from it. */
const FIELDS: Readonly<Record<Preferences['device_type'], readonly PreferenceField[]>> = {
  electric_vehicle: [
    {
      path: 'charge_policy',
      label: 'Charging',
      hint: 'At once when plugged in, or at the least cost until it is to be ready.',
      kind: 'choice',
      choices: { immediate: 'At once', smart: 'By price' },
    },
    number('target_soc_percent', 'Target, %', "Charging ends there. Empty: the vehicle's own."),
    number(
      'minimum_soc_percent',
      'Minimum, %',
      'Up to there it is charged at once, whatever it costs. Empty: 10.',
    ),
    ...DAYS.map((day): PreferenceField => ({
      path: `ready_by/${day}`,
      label: `Ready on ${day.charAt(0).toUpperCase()}${day.slice(1)}s by`,
      kind: 'time',
      hint: 'Local time such as 07:00. Empty: no departure.',
    })),
  ],
  heat_pump: [
    number('comfort_temperature_c', 'Rooms, °C', "10 to 26. Empty: the household's own."),
    number(
      'setback_k',
      'Colder by at most, K',
      'How far below their target a schedule may let the rooms cool. Empty: 1.5.',
    ),
    number(
      'boost_k',
      'Warmer by at most, K',
      'How far above it a schedule or a boost may heat them. Empty: 1.5.',
    ),
    number('hot_water_temperature_c', 'Hot water, °C', "45 to 60. Empty: the tank's own."),
    decision('price_response', 'Follows prices', 'Yes: heat is moved to cheap hours.'),
  ],
  inverter: [
    number(
      'reserve_percent',
      'Reserve of the battery, %',
      'Below it the battery is not discharged. Empty: 5.',
    ),
    decision('grid_charging', 'Charges from the grid', 'Yes: cheap energy may be stored.'),
    decision('price_response', 'Follows prices', 'Yes: prices move charging and discharging.'),
  ],
};

/** The form as it was filled in, by the paths of the body. */
export type PreferenceValues = ReadonlyMap<string, string>;

/** What is asked of a device, as the form shows it. */
export function toPreferenceValues(preferences: Preferences): PreferenceValues {
  return new Map(
    FIELDS[preferences.device_type].map(({ path }) => [path, toText(readPath(preferences, path.split('/')))]),
  );
}

/** The version that the form carries: of what it shows, so that a boost which begins or ends meanwhile does not make it stale. */
export function preferenceVersionOf(preferences: Preferences): string {
  return versionOf([...toPreferenceValues(preferences)]);
}

/** The header of the update: it is refused when what the form has shown is not what is asked of the device now. */
export function readPreferencePrecondition(request: Request, preferences: Preferences) {
  const isCurrent = readVersion(request) === preferenceVersionOf(preferences);
  return isCurrent ? { 'If-Match': `"${versionOf(preferences)}"` } : readPrecondition(request);
}

/** What was filled in. */
export function readPreferenceForm(request: Request, type: Preferences['device_type']): PreferenceValues {
  return new Map(FIELDS[type].map(({ path }) => [path, readFormField(request, path).trim()]));
}

/** The body of the update: what is empty is null, the default; what is no number stays text and is refused as such. */
export function toPreferenceBody(
  type: Preferences['device_type'],
  values: PreferenceValues,
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const { path, kind } of FIELDS[type]) {
    const value = toValue(kind, values.get(path) ?? '');
    const [name = '', inner] = path.split('/');
    if (inner === undefined) body[name] = value;
    else body[name] = { ...(body[name] as object | undefined), [inner]: value };
  }
  return body;
}

function toValue(kind: PreferenceField['kind'], text: string): unknown {
  if (text === '') return null;
  if (kind === 'switch') return text === 'true';
  return kind === 'number' ? toNumber(text) : text;
}

/** What the document says of a value by its schema, as people say it of what they have typed. */
const PLAIN: Partial<
  Readonly<Record<PreferenceField['kind'], { readonly code: string; readonly detail: string }>>
> = {
  number: { code: 'type', detail: 'Must be a number, such as 20.5.' },
  time: { code: 'pattern', detail: 'Must be a time from 00:00 to 23:59, such as 06:30.' },
};

/** What is wrong, at the fields of the form. */
export function placePreferenceErrors(
  type: Preferences['device_type'],
  errors: readonly FieldError[],
): FieldMessages {
  const fields = FIELDS[type];
  const told = errors.map((error) => {
    const field = fields.find(({ path }) => error.pointer === `/${path}`);
    const plain = field && PLAIN[field.kind];
    return plain?.code === error.code ? { ...error, detail: plain.detail } : error;
  });
  return placeErrors(
    told,
    fields.map(({ path }) => path),
  );
}

/** Fields as the view shows them. */
export function describePreferenceFields(
  type: Preferences['device_type'],
  values: PreferenceValues,
  errors: FieldMessages,
  stored?: PreferenceValues,
) {
  const [focused] = Object.keys(errors);
  return FIELDS[type].map(({ path, label, hint, kind, choices }) => ({
    name: path,
    label,
    hint,
    choices,
    value: values.get(path) ?? '',
    required: false,
    inputmode: kind === 'number' ? 'decimal' : undefined,
    error: errors[path],
    autofocus: path === focused,
    stored: stored !== undefined && stored.get(path) !== values.get(path) ? stored.get(path) : undefined,
  }));
}

function readPath(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const inner = (value as Readonly<Record<string, unknown>>)[name];
  return rest.length === 0 ? inner : readPath(inner, rest);
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
