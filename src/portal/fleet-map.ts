import type { components } from '../../generated/openapi.ts';
import { formatCount } from './times.ts';

type Preview = components['schemas']['FleetPreview'];

/** Six shapes, filled and as outlines (src/html/views/mark.eta); a group beyond them begins anew. */
const GROUP_MARKS = 12;
/** What the group of those homes is called that no other takes. */
const REST = 'default';

/** A place on a map: latitude, longitude, the entry of the legend whose mark stands there, and how many homes. */
type MapPoint = readonly [latitude: number, longitude: number, mark: number, homes: number];

/** What a map shows by marks, as its script draws it and its legend tells it. */
export interface MarkedMap {
  readonly points: readonly MapPoint[];
  readonly legend: readonly { readonly mark: string; readonly label: string; readonly value: string }[];
}

/** The homes of a preview by group; those of a group at one place are one point. */
export function mapPreview({ groups, households }: Preview): MarkedMap {
  const names = groups.map(({ name }) => name);
  const points = new Map<string, MapPoint>();
  for (const { latitude, longitude, group } of households) {
    const mark = names.indexOf(group);
    const key = `${latitude} ${longitude} ${mark}`;
    points.set(key, [latitude, longitude, mark, (points.get(key)?.[3] ?? 0) + 1]);
  }
  const legend = groups.map(({ name, count }, index) => ({
    mark: `group-${(index % GROUP_MARKS) + 1}`,
    label: names.length === 1 && name === REST ? 'Homes' : name,
    value: formatCount(count),
  }));
  return { points: [...points.values()], legend };
}

/** The steps of power that the map of a fleet shows (src/html/scripts/fleet-map/powers.js); its script counts the homes of each. */
export const POWER_LEGEND: MarkedMap['legend'] = [
  { mark: 'feed-2', label: 'Feeds in more than 3 kW' },
  { mark: 'feed-1', label: 'Feeds in' },
  { mark: 'even', label: 'Below 0.1 kW' },
  { mark: 'draw-1', label: 'Draws up to 1 kW' },
  { mark: 'draw-2', label: 'Draws up to 3 kW' },
  { mark: 'draw-3', label: 'Draws more' },
  { mark: 'unknown', label: 'Not known' },
].map((entry) => ({ ...entry, value: '–' }));
