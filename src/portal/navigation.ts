import { mayCall } from '../domain/users/roles.ts';
import {
  APPLICATIONS_PATH,
  EVENTS_PATH,
  EXPLORER_PATH,
  fleetPath,
  FLEETS_PATH,
  HOME_PATH,
  NOTIFICATIONS_PATH,
  PASSWORD_PATH,
  PRICES_PATH,
  REQUESTS_PATH,
  SEARCH_PATH,
  USERS_PATH,
  WEBHOOKS_PATH,
} from './paths.ts';
import type { Role } from '../domain/users/roles.ts';
import { scopedPath } from './scopes.ts';
import type { Scope } from './scopes.ts';

interface Item {
  readonly label: string;
  readonly icon: string;
  readonly href: string;
  /** The keys that lead there. */
  readonly keys: string | undefined;
  /** `page` on the page itself, `true` on one below it. */
  readonly current: 'page' | 'true' | undefined;
}

interface Group {
  readonly heading: string;
  readonly items: readonly Item[];
}

/** What is around a page of somebody who is signed in. */
export interface Shell {
  readonly navigation: readonly Group[];
  readonly account: readonly Item[];
  /** Undefined for who may not search. */
  readonly search: Item | undefined;
  readonly scope: Scope;
  /** All that can be chosen, the own organization first; none where there is no choice. */
  readonly scopes: readonly (Scope & { readonly href: string; readonly isCurrent: boolean })[];
}

/** The links of a page at this path: those to manage with for who has a managing role, to the reference for everybody. */
export function listNavigation(
  path: string,
  scope: Scope,
  managing: Role | undefined,
): Pick<Shell, 'navigation' | 'account' | 'search'> {
  const item = (label: string, icon: string, keys: string | undefined, href: string, query = href): Item => ({
    label,
    icon,
    keys,
    href: query,
    current: findCurrent(path.endsWith('/') ? path : `${path}/`, href),
  });
  const scoped = (label: string, icon: string, keys: string, href: string): Item =>
    item(label, icon, keys, href, scopedPath(scope, href));
  const management: readonly Group[] = [
    {
      heading: scope.kind === 'own' ? 'Organization' : 'Simulation',
      items: [
        scoped('Home', 'home', 'g h', HOME_PATH),
        scope.fleet === undefined
          ? item('Fleets', 'fleets', 'g f', FLEETS_PATH)
          : item('Fleet', 'fleets', 'g f', fleetPath(scope.fleet.id)),
        scoped('Prices', 'prices', 'g p', PRICES_PATH),
        scoped('Users', 'users', 'g u', USERS_PATH),
        ...(managing !== undefined && mayCall(managing, 'createWebhook')
          ? [scoped('Webhooks', 'webhooks', 'g w', WEBHOOKS_PATH)]
          : []),
        scoped('Notifications', 'notifications', 'g n', NOTIFICATIONS_PATH),
      ],
    },
    { heading: 'Access', items: [item('Applications', 'applications', 'g a', APPLICATIONS_PATH)] },
  ];
  const developers = {
    heading: 'Developers',
    items: [
      ...(managing === 'admin' ? [item('Requests', 'requests', 'g q', REQUESTS_PATH)] : []),
      ...(managing === 'admin' ? [scoped('Events', 'events', 'g e', EVENTS_PATH)] : []),
      ...(managing === undefined ? [] : [scoped('API explorer', 'explorer', 'g x', EXPLORER_PATH)]),
      item('API reference', 'reference', 'g r', '/docs/'),
    ],
  };
  return {
    navigation: [...(managing === undefined ? [] : management), developers],
    search: managing === undefined ? undefined : scoped('Search', 'search', 'Ctrl K', SEARCH_PATH),
    account: [item('Change password', 'password', undefined, PASSWORD_PATH)],
  };
}

function findCurrent(path: string, href: string): Item['current'] {
  if (path === href) return 'page';
  return href !== HOME_PATH && path.startsWith(href) ? 'true' : undefined;
}

/** Lists that every scope has. */
const SCOPED_LISTS = [USERS_PATH, PRICES_PATH, WEBHOOKS_PATH, NOTIFICATIONS_PATH, EVENTS_PATH, EXPLORER_PATH];

/** The scopes among which to choose, each with the page that shows it: the list that is shown, or to which the page belongs, else home. */
export function listChoices(path: string, scope: Scope, others: readonly Scope[]): Shell['scopes'] {
  const isListed = others.some(({ orgId }) => orgId === scope.orgId);
  const page = SCOPED_LISTS.find((list) => `${path}/`.startsWith(list)) ?? HOME_PATH;
  return [...others, ...(isListed ? [] : [scope])].map((each) => ({
    ...each,
    label: each.fleet === undefined ? each.label : `Simulation, ${each.fleet.status}`,
    href: scopedPath(each, page),
    isCurrent: each.orgId === scope.orgId,
  }));
}
