// What the answers so far have shown of the service: objects by the names in the paths, links, tokens.
import type { OperationId, Route } from '../../generated/routes.ts';
import type { Dice } from './dice.ts';

/** Values for the parameters of a path, by name. */
export type Place = Readonly<Record<string, string>>;

export interface Link {
  readonly operationId: OperationId;
  /** Path and query. */
  readonly target: string;
}

const MOST = 300;

/** Of the entries of a collection, by the end of its path: the path parameter that each is the value of, by its property. */
export const LEARNED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fleets: { job_id: 'job_id', simulation_org_id: 'org_id' },
  users: { id: 'user_id', external_user_id: 'external_user_id' },
  'heat-pumps': { device_id: 'heat_pump_id' },
  inverters: { device_id: 'inverter_id' },
  'electric-vehicles': { device_id: 'electric_vehicle_id' },
  wallboxes: { device_id: 'wallbox_id' },
  devices: { device_id: 'device_id' },
  webhooks: { id: 'webhook_id' },
  deliveries: { message_id: 'message_id' },
  actions: { id: 'item_id' },
  information: { id: 'item_id' },
};

/** The last part of a path. */
export const collectionOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export class Known {
  readonly links: Link[] = [];
  /** Links with a secret that resolve an item. */
  readonly resolutions: string[] = [];
  readonly tokens: string[] = [];
  /** Of fleets. */
  readonly requestIds: string[] = [];
  readonly #places = new Map<string, Place[]>();

  /** Known values for these names, that belong together and are none of `but`; undefined when there are none. */
  find(names: readonly string[], dice: Dice, but: ReadonlySet<string> = new Set()): Place | undefined {
    const places = this.list(names).filter((place) => !Object.values(place).some((value) => but.has(value)));
    return places.length === 0 ? undefined : dice.pick(places);
  }

  list(names: readonly string[]): readonly Place[] {
    return this.#places.get(keyOf(names)) ?? [];
  }

  add(place: Place): void {
    const key = keyOf(Object.keys(place));
    const places = this.#places.get(key) ?? [];
    this.#places.set(key, places);
    if (places.some((each) => Object.entries(place).every(([name, value]) => each[name] === value))) return;
    keep(places, place);
  }

  /** Reads an answer of the first version. */
  learn(
    { operationId, path }: Route,
    place: Place,
    answer: { readonly body: string; readonly link: string },
  ): void {
    for (const [, target = ''] of answer.link.matchAll(/<https?:\/\/[^/>]+([^>]*)>/g))
      keep(this.links, { operationId, target });
    for (const [, token = ''] of answer.body.matchAll(/"(pat_[\w-]{43})"/g)) keep(this.tokens, token);
    for (const [, link = ''] of answer.body.matchAll(/"(\/api\/[^"]*\/resolve\?secret=[^"]*)"/g))
      keep(this.resolutions, link);
    const learned = LEARNED[collectionOf(path)];
    if (learned === undefined) return;
    for (const entry of listEntries(answer.body)) {
      for (const [property, name] of Object.entries(learned)) {
        const value = entry[property];
        if (typeof value === 'string')
          this.add(name === 'org_id' ? { org_id: value } : { ...place, [name]: value });
      }
      if (typeof entry['job_id'] === 'string' && typeof entry['request_id'] === 'string')
        keep(this.requestIds, entry['request_id']);
    }
  }
}

function keyOf(names: readonly string[]): string {
  return [...names].sort().join(',');
}

function keep<T>(list: T[], value: T): void {
  list.push(value);
  if (list.length > MOST) list.shift();
}

function listEntries(text: string): readonly Readonly<Record<string, unknown>>[] {
  if (text === '') return [];
  const body = JSON.parse(text) as { readonly items?: unknown } | unknown[];
  const entries = Array.isArray(body) ? body : Array.isArray(body.items) ? body.items : [body];
  return entries as readonly Readonly<Record<string, unknown>>[];
}
