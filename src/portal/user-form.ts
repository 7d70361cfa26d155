import type { Request } from 'express';
import type { components } from '../../generated/openapi.ts';
import { USER_FIELD_NAMES } from '../domain/users/users.ts';
import type { UserFields } from '../domain/users/users.ts';
import { readFormField, toNumber } from './forms.ts';
import type { FieldMessages } from './forms.ts';

type FieldName = keyof UserFields;
type Roles = Readonly<Partial<Record<components['schemas']['Role'], string>>>;

/** The form as it was filled in. */
export type UserValues = Readonly<Record<FieldName, string>>;

interface FieldText {
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'email';
  readonly inputmode?: 'decimal';
  readonly maxlength: number;
}

/** A field of a user without a text here does not compile. */
const TEXTS: Readonly<Record<FieldName, FieldText>> = {
  email: { label: 'Email', type: 'email', maxlength: 254 },
  role: { label: 'Role', maxlength: 10 },
  external_user_id: {
    label: 'Id in your system',
    hint: 'By which your own system knows this person.',
    maxlength: 255,
  },
  first_name: { label: 'First name', maxlength: 255 },
  last_name: { label: 'Last name', maxlength: 255 },
  street_and_number: { label: 'Street and number', maxlength: 255 },
  street_add_info: { label: 'Apartment, floor or building', maxlength: 255 },
  zip_code: { label: 'Postal code', maxlength: 255 },
  town: { label: 'Town', maxlength: 255 },
  country: { label: 'Country', hint: 'Two letters, such as AT.', maxlength: 2 },
  latitude: {
    label: 'Latitude',
    hint: 'Degrees north, such as 48.3064.',
    inputmode: 'decimal',
    maxlength: 25,
  },
  longitude: {
    label: 'Longitude',
    hint: 'Degrees east, such as 14.2858.',
    inputmode: 'decimal',
    maxlength: 25,
  },
};

const REQUIRED: ReadonlySet<FieldName> = new Set(['email', 'role']);
const NUMBERS: ReadonlySet<FieldName> = new Set(['latitude', 'longitude']);

/** The fields in groups; those of an inner list stand beside each other. */
const GROUPS: readonly { readonly legend: string; readonly rows: readonly (readonly FieldName[])[] }[] = [
  { legend: 'Access', rows: [['email'], ['role']] },
  { legend: 'Person', rows: [['first_name', 'last_name'], ['external_user_id']] },
  {
    legend: 'Address',
    rows: [['street_and_number'], ['street_add_info'], ['zip_code', 'town'], ['country']],
  },
  { legend: 'Place of the devices', rows: [['latitude', 'longitude']] },
];

const ROLE_HINT =
  'An admin may do everything; staff work with end users, fleets and prices; a user reaches only what it owns.';

/** The roles that a form offers: staff make end users alone. */
export function listRoles(role: components['schemas']['Role']): Roles {
  return role === 'admin' ? { user: 'User', staff: 'Staff', admin: 'Admin' } : { user: 'User' };
}

/** The values of the form, as they were typed but for blanks around them. */
export function readUserForm(request: Request): UserValues {
  return mapFields((name) => readFormField(request, name).trim());
}

/** A form that nobody has filled in yet. */
export const EMPTY_USER: UserValues = mapFields((name) => (name === 'role' ? 'user' : ''));

/** A stored user as the form shows it. */
export function toUserValues(user: UserFields): UserValues {
  return mapFields((name) => String(user[name] ?? ''));
}

/** The body of a request: an empty field is null, a number is one; what is no number stays text and is refused as such. */
export function toUserBody(values: UserValues): Readonly<Record<string, unknown>> {
  const toValue = (name: FieldName): unknown => {
    const value = values[name];
    if (value === '') return REQUIRED.has(name) ? value : null;
    if (name === 'country') return value.toUpperCase();
    return NUMBERS.has(name) ? toNumber(value) : value;
  };
  return Object.fromEntries(USER_FIELD_NAMES.map((name) => [name, toValue(name)]));
}

interface UserFormState {
  readonly values: UserValues;
  readonly errors: FieldMessages;
  readonly roles: Roles;
  /** What is stored now, when somebody else has changed the user meanwhile. */
  readonly stored?: UserValues | undefined;
}

/** The groups of the form as the view shows them; the first field that is to be mended has the focus. */
export function describeUserForm({ values, errors, roles, stored }: UserFormState) {
  const focused = USER_FIELD_NAMES.find((name) => errors[name] !== undefined) ?? 'email';
  const describe = (name: FieldName) => ({
    ...TEXTS[name],
    name,
    value: values[name],
    error: errors[name],
    required: REQUIRED.has(name),
    autofocus: name === focused,
    ...(name === 'role' ? { choices: { ...roles, ...keepChoice(values.role) }, hint: ROLE_HINT } : {}),
    stored: stored !== undefined && stored[name] !== values[name] ? stored[name] : undefined,
  });
  return GROUPS.map(({ legend, rows }) => ({ legend, rows: rows.map((row) => row.map(describe)) }));
}

/** A role that the person could not give is shown where the user has it. */
function keepChoice(role: string): Roles {
  return role === 'staff' ? { staff: 'Staff' } : role === 'admin' ? { admin: 'Admin' } : {};
}

function mapFields(read: (name: FieldName) => string): UserValues {
  return Object.fromEntries(USER_FIELD_NAMES.map((name) => [name, read(name)])) as Record<FieldName, string>;
}
