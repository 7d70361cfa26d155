import { sendView } from '../html/render.ts';
import { formatApiCall } from './api-call.ts';
import type { PageHandler } from './context.ts';
import { findPlaces } from './places.ts';
import type { Place } from './places.ts';
import { readQueryParameter } from './forms.ts';
import { getScope } from './shell.ts';
import type { Request } from 'express';
import { countOf } from './times.ts';

/** What people type is short; nothing that is longer can be found. */
const MOST_CHARACTERS = 254;

function readSought(request: Request): string {
  return (readQueryParameter(request, 'q') ?? '').trim().slice(0, MOST_CHARACTERS);
}

/** The search as a page, for who has no scripts, and to hand on a link. */
export const showSearch: PageHandler = async (context, request, response) => {
  const sought = readSought(request);
  const places = await findPlaces(context, response, sought);
  const scope = getScope(response);
  sendView(response, 200, 'places', {
    q: sought,
    orgId: scope.kind === 'own' ? undefined : scope.orgId,
    sentence: sought === '' ? 'By name, email or id.' : `${countOf(places.length, 'place')} found.`,
    places: { columns: COLUMNS, rows: places.map(toRow) },
    call: formatApiCall(context.baseUrl, { method: 'GET', path: `/org/${scope.orgId}/users?limit=50` }),
  });
};

/** What was found, as JSON for the palette. */
export const sendFound: PageHandler = async (context, request, response) => {
  response.json({ places: await findPlaces(context, response, readSought(request)) });
};

const COLUMNS = [{ label: 'Place' }, { label: 'What it is', kind: 'wide', speaksForItself: true }];

function toRow({ label, detail, href }: Place) {
  return [{ text: label, href }, { text: detail }];
}
