// Attacks of a partner's person in the portal.
import { apiPath, bearerJson } from '../attack.ts';
import type { Aim, Attack } from '../attack.ts';
import { flood } from '../wire.ts';
import { nextDay, pricesAsText, validPrices } from './bodies.ts';

/** Stores 10,000 prices with their bids. */
const storePrices = (aim: Aim): Promise<void> =>
  flood({ ...aim, requests: 1, atOnce: 1 }, 1, () => ({
    method: 'PATCH',
    path: apiPath(aim.target.orgId, '/trading/dayahead/prices'),
    headers: bearerJson(aim.target.token),
    body: validPrices(),
  }));

export const pageAttacks: readonly Attack[] = [
  {
    name: 'price-pages',
    by: 'partner',
    what: 'pages of a week of prices with bids, and their files, 60 at once',
    run: async (aim) => {
      await storePrices(aim);
      const week = `?days=7&day=${new Date(nextDay()).toISOString().slice(0, 10)}`;
      await flood(aim, 60, (n) => ({
        method: 'GET',
        path: `/portal/prices/${n % 2 === 0 ? '' : 'prices.csv'}${week}`,
        headers: { cookie: aim.target.person.cookie },
      }));
    },
  },
  {
    name: 'form-pages',
    by: 'partner',
    what: 'pages with the form of a fleet, which wait for nothing, 60 at once',
    run: (aim) =>
      flood(aim, 60, () => ({
        method: 'GET',
        path: '/portal/fleets/create/',
        headers: { cookie: aim.target.person.cookie },
      })),
  },
  {
    name: 'price-forms',
    by: 'partner',
    what: 'a megabyte of prices in a form, 40 at once',
    run: async (aim) => {
      const { cookie, csrfToken } = aim.target.person;
      const fields = { csrf_token: csrfToken, zone: 'UTC', text: pricesAsText() };
      const body = new URLSearchParams(fields).toString();
      await flood(aim, 40, () => ({
        method: 'POST',
        path: '/portal/prices/upload/',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body,
      }));
    },
  },
];
