// A map of the world's borders. No tiles: the borders come from this server, once, and browsers keep them. Nothing on it moves by
// itself, the wheel zooms with Ctrl only, and two fingers move it where there is no mouse, so that a page can be scrolled over it.
/* global L */
import { addBorders } from './borders.js';

const WORLD = [
  [-60, -170],
  [75, 180],
];
const MARGIN = 24;
/** A single place is shown with the countries around it, several some 10 km across at the closest. */
const ZOOM_OF_PLACE = 6;
const CLOSEST_ZOOM = 11;

/**
 * The map in this element, with `show(bounds, {isKept})` for what it shows by its button and, unless the view is kept, now, and
 * `borders`, a promise of what addBorders tells.
 */
export function createMap(element) {
  const map = L.map(element, {
    zoomControl: false,
    attributionControl: false,
    zoomAnimation: false,
    fadeAnimation: false,
    inertia: false,
    scrollWheelZoom: false,
    dragging: matchMedia('(pointer: fine)').matches,
    zoomSnap: 0.25,
    minZoom: 0,
    maxZoom: 15,
    maxBoundsViscosity: 1,
    maxBounds: [
      [-89, -400],
      [89, 400],
    ],
  });
  let bounds = L.latLngBounds(WORLD);
  const fit = () => {
    const isPlace = bounds.getNorthEast().equals(bounds.getSouthWest());
    const maxZoom = isPlace ? ZOOM_OF_PLACE : CLOSEST_ZOOM;
    map.fitBounds(bounds, { padding: [MARGIN, MARGIN], maxZoom, animate: false });
  };
  fit();
  element.addEventListener('wheel', (event) => zoomByWheel(map, event), { passive: false });
  for (const button of element.parentElement.querySelectorAll('[data-zoom]')) {
    button.addEventListener('click', () => {
      const step = Number(button.dataset.zoom);
      if (step === 0) fit();
      else map.setZoom(map.getZoom() + step);
    });
  }
  new ResizeObserver(() => map.invalidateSize({ animate: false, pan: false })).observe(element);
  return {
    map,
    borders: markReady(element, addBorders(map, element.dataset.countries)),
    show: (shown, { isKept = false } = {}) => {
      bounds = L.latLngBounds(shown);
      if (!isKept) fit();
    },
  };
}

function zoomByWheel(map, event) {
  if (!event.ctrlKey) return;
  event.preventDefault();
  map.setZoomAround(map.mouseEventToContainerPoint(event), map.getZoom() - Math.sign(event.deltaY) / 2);
}

/** Marks the element once everything that it shows at first is there. */
async function markReady(element, borders) {
  const loaded = await borders;
  element.dataset.ready = '';
  return loaded;
}
