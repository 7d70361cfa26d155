import { validationProblem } from '../../domain/api/problem.ts';
import { decodeCursor, encodeCursor } from '../../domain/api/cursor.ts';
import { formatLinkHeader } from '../../domain/api/page-links.ts';
import type { Handler } from '../../contract/handlers.ts';
import { presentPreferences } from '../../presenters/preferences.ts';
import { listControlRevisions } from '../../queries/fleets/control-revisions.ts';
import { readStoredPreferences } from '../../simulation/control/preference-changes.ts';
import type { SteeredType } from '../../simulation/control/preference-changes.ts';
import type { Context } from '../context.ts';
import { findVisibleDevice } from '../user-devices.ts';
import { usersUrl } from '../users.ts';
import type { UserPath } from './asked.ts';

interface PageQuery {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

const FOLDERS: Readonly<Record<SteeredType, string>> = {
  electric_vehicle: 'electric-vehicles',
  heat_pump: 'heat-pumps',
  inverter: 'inverters',
};

/** Answers 422 `cursor_invalid`, as do the two others. */
export const listElectricVehiclePreferenceRevisions: Handler<
  Context,
  'listElectricVehiclePreferenceRevisions'
> = (context, { path, query }) => listed(context, path, query, 'electric_vehicle', path.electric_vehicle_id);

export const listHeatPumpPreferenceRevisions: Handler<Context, 'listHeatPumpPreferenceRevisions'> = (
  context,
  { path, query },
) => listed(context, path, query, 'heat_pump', path.heat_pump_id);

export const listInverterPreferenceRevisions: Handler<Context, 'listInverterPreferenceRevisions'> = (
  context,
  { path, query },
) => listed(context, path, query, 'inverter', path.inverter_id);

async function listed<Type extends SteeredType>(
  context: Context,
  path: UserPath,
  { limit = 50, after }: PageQuery,
  type: Type,
  id: string,
) {
  const device = await findVisibleDevice(context, path, type, id);
  const before = after === undefined ? undefined : readCursor(device.id, after);
  const key = { orgId: device.org_id, deviceId: device.id };
  const rows = await listControlRevisions(context.db, key, { before, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last === undefined ? null : encodeCursor({ createdAt: last.received_at, id: device.id });
  const address = `${usersUrl(context)}/${path.user_id}/${FOLDERS[type]}/${id}/preferences/revisions`;
  const items = page.map((row) =>
    presentPreferences(
      { id: device.id, type },
      readStoredPreferences(type, row.preferences),
      row.boost_ends_at,
      row,
    ),
  );
  return {
    status: 200 as const,
    headers: next === null ? {} : { Link: formatLinkHeader(address, { limit, after: next }, { next: {} }) },
    body: { items, limit, next },
  };
}

/** A revision is named by its arrival; a cursor names the device too, so that it leads nowhere in another list. */
function readCursor(deviceId: string, after: string): Date {
  const position = decodeCursor(after);
  if (position?.id === deviceId) return position.createdAt;
  const detail = 'Must be `next` of a page, or come from the next address of its Link header.';
  throw validationProblem([{ parameter: 'after', in: 'query', code: 'cursor_invalid', detail }]);
}
