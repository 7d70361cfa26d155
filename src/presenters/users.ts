import type { components } from '../../generated/openapi.ts';
import type { UserRecord } from '../domain/users/users.ts';

/** A user as the document describes it. */
export type User = components['schemas']['User'];

/** A stored user as answers show it: instants as ISO 8601 text in UTC, the organization under both of its names. */
export function presentUser(user: UserRecord): User {
  return {
    id: user.id,
    org_id: user.org_id,
    organization_id: user.org_id,
    email: user.email,
    role: user.role,
    external_user_id: user.external_user_id,
    first_name: user.first_name,
    last_name: user.last_name,
    street_and_number: user.street_and_number,
    street_add_info: user.street_add_info,
    zip_code: user.zip_code,
    town: user.town,
    country: user.country,
    latitude: user.latitude,
    longitude: user.longitude,
    location_last_updated: user.location_last_updated,
    num_electric_vehicles: user.num_electric_vehicles,
    num_heat_pumps: user.num_heat_pumps,
    num_inverters: user.num_inverters,
    num_wallboxes: user.num_wallboxes,
    created_at: user.created_at,
    updated_at: user.updated_at,
    deleted_at: user.deleted_at,
  };
}
