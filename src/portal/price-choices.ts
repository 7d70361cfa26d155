import type { PortalResponse } from './context.ts';
import { addDays } from './local-days.ts';
import { PRICES_PATH } from './paths.ts';
import { DAY_CHOICES, priceViewPath } from './price-view.ts';
import type { PriceView } from './price-view.ts';
import { getScope } from './shell.ts';

/** The days around those that are shown, and the other clocks. */
export function linksOf(response: PortalResponse, view: PriceView) {
  const scope = getScope(response);
  const at = (days: number): string => priceViewPath(scope, view, { date: addDays(view.date, days) });
  return {
    zone: view.clock.zone,
    before: at(-1),
    after: at(1),
    otherClocks: {
      href: priceViewPath(scope, view, { isUtc: !view.isUtc }),
      label: view.isUtc ? 'Local time' : 'UTC',
    },
  };
}

/** The form by which days and a heat pump are chosen. */
export function describeFilter(
  response: PortalResponse,
  { date, days, pump, isUtc }: PriceView,
  isNotFound: boolean,
) {
  const scope = getScope(response);
  return {
    action: PRICES_PATH,
    hidden: { ...(scope.kind === 'own' ? {} : { org: scope.orgId }), ...(isUtc ? { zone: 'utc' } : {}) },
    fields: [
      { name: 'day', label: 'From', type: 'date', value: date, required: false },
      { name: 'days', label: 'Days', value: days, choices: DAY_CHOICES },
      {
        name: 'pump',
        label: 'Heat pump',
        value: pump,
        required: false,
        maxlength: 254,
        hint: 'Its id, or the id or email of its user',
        error: isNotFound ? 'No heat pump is found by this.' : undefined,
      },
    ],
  };
}

/** The call that uploads the price of an hour. */
export function exampleUpload(orgId: string, from: Date) {
  return {
    method: 'PATCH',
    path: `/org/${orgId}/trading/dayahead/prices`,
    body: { data: [{ timestamp: from.toISOString(), price: 84.12 }] },
  } as const;
}
