// The statements of the bare server: one for each question, prepared, with the answer's fields in the answer's order.
import { PAGE_LIMIT } from './questions.ts';

/** A server beside the service: asked to listen, it answers with its port. */
export interface ServerJob {
  readonly connection: Readonly<Record<string, string | number | undefined>>;
  /** Of the one partner that is asked for. */
  readonly userQuota: number;
}

export interface Listening {
  readonly port: number;
}

/** As many as the service has by default. */
export const CONNECTIONS = 10;

const FIELDS = `
  id, org_id, org_id as organization_id, email, role, external_user_id, first_name, last_name, street_and_number,
  street_add_info, zip_code, town, country, latitude, longitude, location_last_updated,
  num_electric_vehicles, num_heat_pumps, num_inverters, num_wallboxes, created_at, updated_at, deleted_at`;
const OWNED = `
  cross join lateral (
    select count(*) filter (where device_type = 'electric_vehicle') as num_electric_vehicles,
      count(*) filter (where device_type = 'heat_pump') as num_heat_pumps,
      count(*) filter (where device_type = 'inverter') as num_inverters,
      count(*) filter (where device_type = 'wallbox') as num_wallboxes
    from devices where devices.org_id = users.org_id and devices.user_id = users.id
  ) owned`;

/** Parameters: organization, user. */
export const GET_USER = {
  name: 'get-user',
  text: `select ${FIELDS.replace(' id,', ' users.id,')} from users ${OWNED}
    where users.org_id = $1 and users.id = $2 and deleted_at is null`,
};

/** Parameter: organization. A limit that is a parameter would be planned anew each time. */
export const LIST_USERS = {
  name: 'list-users',
  text: `select ${FIELDS} from (
      select * from users where org_id = $1 and deleted_at is null order by created_at, id limit ${PAGE_LIMIT}
    ) users ${OWNED} order by created_at, id`,
};

/** Parameters: organization, id, the values of the body in this order, now, shard, quota. */
export const CREATED_FIELDS = [
  'email',
  'role',
  'external_user_id',
  'first_name',
  'last_name',
  'street_and_number',
  'street_add_info',
  'zip_code',
  'town',
  'country',
  'latitude',
  'longitude',
] as const;
export const CREATE_USER = {
  name: 'create-user',
  text: `with counted as (
      update user_counts set users = users + 1
      where org_id = $1 and shard = $16::int and users < granted and quota = $17::bigint
      returning shard
    ), created as (
      insert into users (org_id, id, ${CREATED_FIELDS.join(', ')}, location_last_updated, created_at, updated_at)
      select $1::uuid, $2::uuid, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::float8, $14::float8,
        $15::timestamptz, $15::timestamptz, $15::timestamptz
      from counted
      returning *
    )
    select ${FIELDS} from created
    cross join (select 0 as num_electric_vehicles, 0 as num_heat_pumps, 0 as num_inverters, 0 as num_wallboxes) none`,
};

/** Parameters: digest of the token, now, expiry, client id, digest of the secret. */
export const ISSUE_TOKEN = {
  name: 'issue-token',
  text: `insert into access_tokens
      (token_hash, org_id, user_id, application_id, grant_type, scope, created_at, expires_at)
    select $1::bytea, org_id, owner_user_id, id, 'client-credentials', 'read write', $2::timestamptz, $3::timestamptz
    from applications where client_id = $4 and secret_hash = $5::bytea
    returning scope`,
};
