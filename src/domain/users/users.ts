import type { components } from '../../../generated/openapi.ts';
import type { Actor } from './actor.ts';
import { isAssignedCountryCode } from './countries.ts';
import type { FieldError } from '../api/problem.ts';
import type { Access, Role } from './roles.ts';

/** What a partner may say of a user beside email and role; all of it optional, null when unset. */
interface UserDetails {
  readonly external_user_id: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly street_and_number: string | null;
  readonly street_add_info: string | null;
  readonly zip_code: string | null;
  readonly town: string | null;
  readonly country: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** The writable half of a user. */
export interface UserFields extends UserDetails {
  readonly email: string;
  readonly role: Role;
}

/** A stored user, with what the service itself knows of it. Instants are ISO 8601 text in UTC, as answers show them. */
export interface UserRecord extends UserFields {
  readonly org_id: string;
  readonly id: string;
  readonly location_last_updated: string | null;
  readonly num_electric_vehicles: number;
  readonly num_heat_pumps: number;
  readonly num_inverters: number;
  readonly num_wallboxes: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

/** What a request gives of them: absent means unchanged, and at creation the same as null. */
type GivenFields = { readonly [Name in keyof UserFields]?: UserFields[Name] | undefined };

type Bodies = components['schemas'];
/** What the request bodies can hold; `org_id` only repeats the path. */
type RequestField = Exclude<keyof Bodies['UserCreate'] | keyof Bodies['UserUpdate'], 'org_id'>;

/** A property of the request bodies that is missing here does not compile: no column would keep it. */
const UNSET_DETAILS = {
  external_user_id: null,
  first_name: null,
  last_name: null,
  street_and_number: null,
  street_add_info: null,
  zip_code: null,
  town: null,
  country: null,
  latitude: null,
  longitude: null,
} satisfies UserDetails satisfies Readonly<Record<Exclude<RequestField, 'email' | 'role'>, null>>;

/** Writable column names. */
export const USER_FIELD_NAMES = [
  'email',
  'role',
  ...(Object.keys(UNSET_DETAILS) as (keyof UserDetails)[]),
] as const;

/** Which users of an organization somebody sees: all, the end users and itself, or itself alone. */
export type Visibility =
  | { readonly kind: 'all' }
  | { readonly kind: 'users'; readonly self: string }
  | { readonly kind: 'own'; readonly self: string };

/**
 * Which users of an organization an actor sees with this access. A member of the partner organization has no user of its
 * own in a simulation organization, so there `self` matches nobody.
 */
export function userVisibility(access: Access, actor: Pick<Actor, 'userId'>): Visibility {
  switch (access) {
    case 'all':
      return { kind: 'all' };
    case 'users':
      return { kind: 'users', self: actor.userId };
    case 'own':
    case 'none':
      return { kind: 'own', self: actor.userId };
  }
}

/** Whether somebody sees this user; visibleUsers in queries/accounts/visible-users.ts says the same in SQL. */
export function canSeeUser(who: Visibility, user: { readonly id: string; readonly role: Role }): boolean {
  return who.kind === 'all' || user.id === who.self || (who.kind === 'users' && user.role === 'user');
}

/** A new user's fields, null where nothing was given. */
export function toNewUserFields(given: GivenFields & Pick<UserFields, 'email' | 'role'>): UserFields {
  return { ...UNSET_DETAILS, ...givenFields(given), email: given.email, role: given.role };
}

/** The fields whose value would become another one. */
export function pickChangedUserFields(before: UserFields, given: GivenFields): Partial<UserFields> {
  const changes = Object.entries(givenFields(given)).filter(
    ([name, value]) => before[name as keyof UserFields] !== value,
  );
  return Object.fromEntries(changes);
}

/**
 * What is wrong with a user as it would be stored: coordinates_incomplete for one coordinate without the other,
 * country_unknown for a code that ISO 3166-1 does not assign. Empty when it can be stored.
 */
export function validateUserFields(
  user: Pick<UserFields, 'latitude' | 'longitude' | 'country'>,
): FieldError[] {
  const errors: FieldError[] = [];
  if ((user.latitude === null) !== (user.longitude === null)) {
    const [missing, other] = user.latitude === null ? ['latitude', 'longitude'] : ['longitude', 'latitude'];
    errors.push({
      pointer: `/${missing}`,
      code: 'coordinates_incomplete',
      detail: `Must be given together with ${other}; give both or neither.`,
    });
  }
  if (user.country !== null && !isAssignedCountryCode(user.country)) {
    errors.push({
      pointer: '/country',
      code: 'country_unknown',
      detail: 'Must be an assigned ISO 3166-1 alpha-2 code, such as AT.',
    });
  }
  return errors;
}

/** org_id_mismatch when a body names another organization than the path, in whatever letter case. */
export function validateOrgIdOfBody(given: string | undefined, orgId: string): FieldError[] {
  if (given === undefined || given.toLowerCase() === orgId) return [];
  return [{ pointer: '/org_id', code: 'org_id_mismatch', detail: 'Must be the organization of the path.' }];
}

function givenFields(given: GivenFields): Partial<UserFields> {
  return Object.fromEntries(
    USER_FIELD_NAMES.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}
