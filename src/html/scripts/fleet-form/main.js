// The page of the form for a fleet: its map and its preview.
import { startDensityEditor } from '../density/editor.js';
import { createMap } from '../map/map.js';
import { addMarksLayer } from '../map/marks-layer.js';
import { startLivePreview } from './live-preview.js';

const fleetForm = document.getElementById('fleet-form');
const fleetMap = createMap(document.getElementById('fleet-map'));
const homes = addMarksLayer(fleetMap.map);
let shownPlaces = '';

startLivePreview(fleetForm, (page) => {
  const part = page.querySelector('[data-part="preview"]');
  const { points } = JSON.parse(part.querySelector('[data-map]').textContent);
  homes.set(points, part.querySelector('.map-legend'));
  const places = points.map(([latitude, longitude]) => [latitude, longitude]);
  // A preview that moves no home leaves the view to who looks at it, and so does one while somebody paints or has painted.
  const isPainted =
    fleetMap.map.getContainer().classList.contains('painting') ||
    fleetForm.elements.namedItem('density/weights').value !== '';
  if (String(places) !== shownPlaces) fleetMap.show(places, { isKept: isPainted });
  shownPlaces = String(places);
});

void startDensityEditor(fleetForm, fleetMap);
