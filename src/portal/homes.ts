import type { OpenCondition } from '../domain/notifications/open-condition.ts';
import { DEVICE_TYPES } from '../domain/fleets/devices.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { tabulateChart } from './day-chart.ts';
import { dayLinks, nameDay, withDay } from './day-links.ts';
import { iconOf } from './device-marks.ts';
import { toRange } from './device-day.ts';
import { callDeviceOperation, DEVICE_OPERATIONS } from './device-operations.ts';
import type { Device } from './device-operations.ts';
import { describeState } from './device-states.ts';
import { markCondition } from './exceptions.ts';
import { tellGridCost } from './energy-cost.ts';
import type { QuarterPrices } from './energy-cost.ts';
import { readShownDay } from './fleet-day.ts';
import { readHouseholdDay } from './fleet-households.ts';
import { sumEnergy } from './fleet-story.ts';
import { readQueryParameter } from './forms.ts';
import { chartHomes } from './home-chart.ts';
import type { DayEntry } from './home-chart.ts';
import { devicePath, homePath } from './home-paths.ts';
import { describeLive, nameCells } from './live.ts';
import { findNoticeText } from './pages.ts';
import { readPricedDay } from './price-panels.ts';
import { formatEnergy } from './quantities.ts';
import type { Scope } from './scopes.ts';
import { getScope } from './shell.ts';
import { nameOf, userPath, withUser } from './users.ts';
import { joinSentences } from './words.ts';

/** What a home did on a day, and the state of its devices. */
export const showHousehold = withUser(async (context, request, response, user) => {
  const scope = getScope(response);
  const zone = await context.reads.findTimeZone(scope.orgId);
  const shown = readShownDay(request, zone, context.clock());
  const { day, clock } = shown;
  const { data } = await readHouseholdDay(context, response, user.id, { day, resolution: '15MIN' });
  const entries: readonly DayEntry[] = data;
  const conditions = await context.reads.listConditionsOfUser(scope.orgId, user.id);
  const devices = await readDevices(context, response, user.id);
  const pumps = devices.filter(({ device_type: type }) => type === 'heat_pump').map(nameDevice);
  const prices = await readPricedDay(context, response, shown, async () => pumps);
  const chart = {
    ...chartHomes({ entries, day, clock, prices: prices.panels }),
    remarks: prices.remarks,
  };
  const dayName = nameDay(shown, entries.at(-1));
  const query = new URLSearchParams(toRange(day)).toString();
  sendView(response, 200, 'household', {
    heading: nameOf(user),
    sentence: tellDay(entries, prices.byQuarter, dayName),
    live: describeLive(response, context.clock(), { clock }),
    chart,
    table: tabulateChart(chart),
    dayName,
    csvPath: withDay(homePath(scope, user.id, 'data.csv'), shown),
    links: dayLinks(homePath(scope, user.id), shown),
    devices: tabulateDevices(scope, devices, conditions),
    userPath: userPath(scope, user.id),
    notice: findNoticeText(readQueryParameter(request, 'notice')),
    call: formatApiCall(context.baseUrl, {
      method: 'GET',
      path: `/org/${scope.orgId}/users/${user.id}/data?${query}`,
    }),
    hasCharts: true,
  });
});

function tellDay(entries: readonly DayEntry[], prices: QuarterPrices, dayName: string): string {
  if (entries.length === 0) return `${dayName} this home has no values.`;
  const energy = (name: Parameters<typeof sumEnergy>[1]): string => formatEnergy(sumEnergy(entries, name));
  const done =
    `${dayName} this home took ${energy('grid_import_kwh')} from the grid and fed in ${energy('grid_export_kwh')}: ` +
    `panels gave ${energy('pv_energy_kwh')}, the heat pump took ${energy('heat_pump_energy_kwh')}, vehicles ${energy('vehicle_energy_kwh')} and all else ${energy('load_energy_kwh')}.`;
  return joinSentences(done, tellGridCost(entries, prices));
}

/** All devices of a user, type by type. */
async function readDevices(
  context: PortalContext,
  response: PortalResponse,
  userId: string,
): Promise<readonly Device[]> {
  const listOf = async (type: DeviceType): Promise<readonly Device[]> =>
    (await callDeviceOperation(context, response, DEVICE_OPERATIONS[type].list, {
      path: { user_id: userId },
    })) as readonly Device[];
  const lists = [];
  for (const type of DEVICE_TYPES) lists.push(await listOf(type));
  return lists.flat();
}

function tabulateDevices(scope: Scope, devices: readonly Device[], conditions: readonly OpenCondition[]) {
  const columns = [
    { label: 'Device' },
    { label: 'State', kind: 'wide', speaksForItself: true },
    { label: 'Condition', speaksForItself: true },
  ];
  const rows = devices.map((device) => {
    const [condition] = conditions.filter(({ deviceId }) => deviceId === device.device_id);
    return nameCells<object>(device.device_id, [
      { text: device.name, href: devicePath(scope, nameDevice(device)), icon: iconOf(device.device_type) },
      { text: describeState(device) },
      { status: markCondition(condition) },
    ]);
  });
  return { columns, rows };
}

/** By what paths name a device. */
export function nameDevice({ user_id: userId, device_id: deviceId, device_type: deviceType }: Device) {
  return { userId, deviceId, deviceType };
}
