// Written by `make generate` from the migrations. Do not edit.

import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** Written as JSON text: pg would send an array as a PostgreSQL array. */
export type Json = ColumnType<unknown, string, string>;

export interface AccessTokensTable {
  token_hash: Buffer;
  org_id: string;
  user_id: string;
  application_id: string | null;
  scope: string;
  created_at: Date;
  expires_at: Date;
  grant_type: 'client-credentials' | 'password' | 'session';
  session_hash: Buffer | null;
}

export interface ApplicationsTable {
  org_id: string;
  id: string;
  owner_user_id: string;
  name: string;
  client_id: string;
  secret_hash: Buffer;
  client_type: 'confidential';
  authorization_grant_type: 'client-credentials' | 'password';
  redirect_uris: Generated<string>;
  created_at: Date;
  updated_at: Date;
  scope: Generated<'read' | 'read write'>;
  secret_created_at: Date | null;
  secret_last_used_at: Date | null;
  older_secret_hash: Buffer | null;
  older_secret_created_at: Date | null;
  older_secret_last_used_at: Date | null;
  older_secret_ends_at: Date | null;
}

export interface BroadcastDismissalsTable {
  org_id: string;
  item_id: string;
  user_id: string;
  dismissed_at: Date;
}

export interface ChargeChecksTable {
  org_id: string;
  device_id: string;
  due_at: Date;
  told_departure: Date | null;
}

export interface ClientIdsTable {
  client_id: string;
  org_id: string;
}

export interface ControlRevisionsTable {
  org_id: string;
  device_id: string;
  received_at: Date;
  revision: number;
  user_id: string;
  effective_from: Date;
  change: 'preferences' | 'boost' | 'boost_end';
  preferences: Json;
  boost_ends_at: Date | null;
  actor_org_id: string;
  actor_user_id: string;
  actor_role: string;
  request_id: string;
}

export interface DayAheadPricesTable {
  org_id: string;
  starts_at: Date;
  received_at: Date;
  price: number;
  best_bid: number[];
  best_ask: number[];
  superseded: Generated<boolean>;
}

export interface DeliveriesTable {
  org_id: string;
  message_id: string;
  webhook_id: string;
  state: Generated<'pending' | 'delivered' | 'exhausted' | 'cancelled'>;
  attempts: Generated<number>;
  is_retry: GeneratedAlways<boolean>;
  due_at: Date;
  request_id: string | null;
  cancel_reason: string | null;
  created_at: Date;
  finished_at: Date | null;
}

export interface DeliveryAttemptsTable {
  org_id: string;
  message_id: string;
  webhook_id: string;
  attempt: number;
  started_at: Date;
  duration_ms: number;
  outcome: 'delivered' | 'failed';
  error_class: 'dns' | 'refused_address' | 'connect' | 'tls' | 'timeout' | 'redirect' | 'status' | 'secret' | null;
  status_code: number | null;
  detail: string | null;
  address: string | null;
  secret_version: number;
  request_id: string | null;
  lookup_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  answer_ms: number | null;
}

export interface DeviceConditionsTable {
  org_id: string;
  device_id: string;
  code: 'device_offline' | 'reauthenticate' | 'steering_recovery_failed' | 'subscription_required';
  active: boolean;
  begins_at: Date | null;
  changed_at: Date;
  ends_at: Date | null;
  next_change_at: GeneratedAlways<Date | null>;
}

export interface DeviceCountsTable {
  org_id: string;
  group_name: string;
  device_type: string;
  devices: number;
}

export interface DeviceInterruptionsTable {
  org_id: string;
  device_id: string;
  code: string;
  started_at: Date;
  ended_at: Date | null;
  unsteered_from: number;
  unsteered_to: number | null;
  read_until: Date;
}

export interface DevicesTable {
  org_id: string;
  id: string;
  user_id: string;
  device_type: 'electric_vehicle' | 'heat_pump' | 'inverter' | 'wallbox';
  fleet_id: string | null;
  household_index: number | null;
  name: string;
  manufacturer: string;
  model: string;
  ratings: Json;
  created_at: Date;
}

export interface EncryptionKeysTable {
  id: string;
  first_used_at: Date;
  lost_at: Date | null;
}

export interface FleetRequestsTable {
  org_id: string;
  operation: 'create' | 'expand' | 'event';
  request_id: string;
  fleet_id: string;
  body_hash: Buffer;
  response: Json;
  created_at: Date;
  forget_at: Date | null;
}

export interface FleetsTable {
  org_id: string;
  id: string;
  request_id: string;
  name: string;
  status: 'queued' | 'provisioning' | 'running' | 'expanding' | 'stopped' | 'cancelled' | 'cleaned' | 'failed' | 'purging';
  simulation_org_id: string;
  seed: number;
  model_version: number;
  household_count: number;
  created_count: Generated<number>;
  settled_count: Generated<number>;
  definition: Json;
  density_weights: Buffer | null;
  history_from: Date;
  history_to: Date;
  error: string | null;
  created_at: Date;
  started_at: Date | null;
  stopped_at: Date | null;
  work_lease_until: Date | null;
  work_token: string | null;
  checkpoint_day: Generated<number>;
  checkpoint_lease_until: Date | null;
  checkpoint_token: string | null;
  has_checkpoints_to_remove: Generated<boolean>;
  has_users_to_remove: Generated<boolean>;
}

export interface HouseholdCheckpointsTable {
  org_id: string;
  household_index: number;
  day: number;
  pv: number;
  ev: number;
  hp: number;
  grid_import: number;
  grid_export: number;
  stored: number;
  vehicle_stored: number;
}

export interface HouseholdsTable {
  org_id: string;
  fleet_id: string;
  household_index: number;
  household_id: string;
  user_id: string;
  group_name: string;
  profile: string;
  latitude: number | null;
  longitude: number | null;
  location_source: 'density' | 'fixed' | 'default' | null;
  attributes: Json;
  created_at: Date;
  control_version: Generated<number>;
}

export interface IdempotencyKeysTable {
  org_id: string;
  user_id: string;
  key_hash: Buffer;
  request_hash: Buffer;
  encrypted_answer: Buffer | null;
  answer_key_id: string | null;
  created_at: Date;
}

export interface InFlightSlotsTable {
  worker_id: number;
  slot: number;
  org_id: string | null;
  message_id: string | null;
  webhook_id: string | null;
  is_retry: boolean | null;
  lease_token: string | null;
  lease_until: Date | null;
  partner_id: string | null;
}

export interface LoggedRequestsTable {
  org_id: string;
  sent_at: Date;
  id: string;
  request_id: string;
  operation: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  user_id: string | null;
  application_id: string | null;
  code: string | null;
  errors: Json | null;
  body: string | null;
}

export interface MessagesTable {
  org_id: string;
  id: string;
  message_type: string;
  occurred_at: Date;
  payload: Buffer;
  created_at: Date;
  announced_at: Generated<Date>;
  repeated_at: Date | null;
}

export interface NotificationItemsTable {
  org_id: string;
  id: string;
  kind: 'action' | 'information';
  code: string | null;
  device_id: string | null;
  device_type: string | null;
  owner_id: string | null;
  message: string;
  occurred_at: Date;
  dismissed_at: Date | null;
  cleared_at: Date | null;
}

export interface OrganizationLocksTable {
  org_id: string;
}

export interface OrganizationsTable {
  id: string;
  name: string;
  kind: 'partner' | 'simulation';
  parent_org_id: string | null;
  created_at: Date;
  suspended_at: Date | null;
}

export interface PartnerQuotasTable {
  org_id: string;
  name: 'fleets' | 'households' | 'webhooks' | 'applications' | 'users' | 'event_streams' | 'price_quarters' | 'price_revisions' | 'pending_deliveries' | 'control_revisions' | 'idempotency_keys' | 'fleet_requests';
  quota: number;
}

export interface PendingDeliveryCountsTable {
  org_id: string;
  shard: number;
  deliveries: number;
}

export interface PendingItemCountsTable {
  org_id: string;
  shard: number;
  device_type: string;
  kind: string;
  items: number;
}

export interface PortalSessionsTable {
  session_hash: Buffer;
  org_id: string;
  user_id: string;
  csrf_secret: string;
  created_at: Date;
  expires_at: Date;
}

export interface PriceCountsTable {
  org_id: string;
  quarters: number;
  uploads: Generated<number>;
}

export interface RateLimitsTable {
  policy: string;
  subject: string;
  window_started_at: Date;
  used: number;
}

export interface SharedOutagesTable {
  org_id: string;
  id: string;
  cause: 'manufacturer_cloud' | 'region' | 'household_router';
  manufacturer: string | null;
  country: string | null;
  latitude: number | null;
  longitude: number | null;
  radius_km: number | null;
  user_ids: string[] | null;
  starts_at: Date;
  ends_at: Date;
  request_id: string | null;
  after_device_id: string | null;
  is_applied: Generated<boolean>;
  household_indexes: number[] | null;
}

export interface SignupRequestsTable {
  id: string;
  email: string;
  url: string;
  invite_token: string;
  created_at: Date;
}

export interface UnloggedRequestsTable {
  org_id: string;
  minute: Date;
  count: number;
}

export interface UserCountsTable {
  org_id: string;
  shard: number;
  users: number;
  granted: Generated<number>;
  quota: Generated<number>;
}

export interface UserPlacesTable {
  org_id: string;
  user_id: string;
  effective_from: Date;
  latitude: number | null;
  longitude: number | null;
  received_at: Date;
  actor_org_id: string | null;
  actor_user_id: string | null;
  actor_role: string | null;
  request_id: string | null;
}

export interface UsernamesTable {
  username: string;
  org_id: string;
}

export interface UsersTable {
  org_id: string;
  id: string;
  email: string;
  role: 'admin' | 'staff' | 'user';
  external_user_id: string | null;
  first_name: string | null;
  last_name: string | null;
  street_and_number: string | null;
  street_add_info: string | null;
  zip_code: string | null;
  town: string | null;
  country: string | null;
  latitude: number | null;
  longitude: number | null;
  location_last_updated: Date | null;
  username: string | null;
  password_hash: string | null;
  password_change_required: Generated<boolean>;
  fleet_id: string | null;
  household_index: number | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  initial_password_expires_at: Date | null;
}

export interface WebhooksTable {
  org_id: string;
  id: string;
  url: string;
  topics: string[];
  enabled: Generated<boolean>;
  encrypted_secret: Buffer;
  secret_key_id: string;
  secret_version: Generated<number>;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  cancelling_mark: string | null;
}

export interface Database {
  access_tokens: AccessTokensTable;
  applications: ApplicationsTable;
  broadcast_dismissals: BroadcastDismissalsTable;
  charge_checks: ChargeChecksTable;
  client_ids: ClientIdsTable;
  control_revisions: ControlRevisionsTable;
  day_ahead_prices: DayAheadPricesTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  device_conditions: DeviceConditionsTable;
  device_counts: DeviceCountsTable;
  device_interruptions: DeviceInterruptionsTable;
  devices: DevicesTable;
  encryption_keys: EncryptionKeysTable;
  fleet_requests: FleetRequestsTable;
  fleets: FleetsTable;
  household_checkpoints: HouseholdCheckpointsTable;
  households: HouseholdsTable;
  idempotency_keys: IdempotencyKeysTable;
  in_flight_slots: InFlightSlotsTable;
  logged_requests: LoggedRequestsTable;
  messages: MessagesTable;
  notification_items: NotificationItemsTable;
  organization_locks: OrganizationLocksTable;
  organizations: OrganizationsTable;
  partner_quotas: PartnerQuotasTable;
  pending_delivery_counts: PendingDeliveryCountsTable;
  pending_item_counts: PendingItemCountsTable;
  portal_sessions: PortalSessionsTable;
  price_counts: PriceCountsTable;
  rate_limits: RateLimitsTable;
  shared_outages: SharedOutagesTable;
  signup_requests: SignupRequestsTable;
  unlogged_requests: UnloggedRequestsTable;
  user_counts: UserCountsTable;
  user_places: UserPlacesTable;
  usernames: UsernamesTable;
  users: UsersTable;
  webhooks: WebhooksTable;
}
