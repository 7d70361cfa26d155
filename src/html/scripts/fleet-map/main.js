// The map of a fleet's page: where its homes stand and what each draws at the instant of the crosshair.
import { createMap } from '../map/map.js';
import { addMarksLayer } from '../map/marks-layer.js';
import { entryOf, loadPowers } from './powers.js';
import { createPowerTable } from './table.js';

const section = document.querySelector('[data-fleet-map]');
if (section !== null) void startFleetMap();

async function startFleetMap() {
  const { map, show } = createMap(document.getElementById('fleet-map'));
  const marks = addMarksLayer(map);
  const status = section.querySelector('[data-map-status]');
  const counts = [...section.querySelectorAll('.legend b')];
  const time = section.querySelector('[data-map-time]');
  const table = createPowerTable(section.querySelector('details'));
  const instant = {
    quarter: Number(document.getElementById('instant').value),
    clock: document.querySelector('.readout output').value,
  };
  let data;
  let points = [];
  const recolour = () => {
    const homes = counts.map(() => 0);
    for (const [at, point] of points.entries()) {
      point[2] = entryOf(data.powerAt(at, instant.quarter));
      homes[point[2]] += data.places[at][2];
    }
    for (const [entry, count] of homes.entries()) counts[entry].textContent = count.toLocaleString('en');
    time.textContent = instant.clock;
    marks.redraw();
    table.show(data, instant.quarter);
  };
  const load = async () => {
    const loaded = await loadPowers(section.dataset.powers);
    if (loaded === undefined) return false;
    data = loaded;
    points = data.places.map(([latitude, longitude]) => [latitude, longitude, 0]);
    marks.set(points, section.querySelector('.legend'));
    recolour();
    return true;
  };
  document.addEventListener('instant', ({ detail }) => {
    Object.assign(instant, detail);
    if (data !== undefined) recolour();
  });
  // What is over meanwhile is in the pictures already; without an answer the map stays as it is.
  document.querySelector('.chart').addEventListener('fresh', () => void load());
  if (!(await load())) {
    status.textContent = 'What each home draws cannot be shown now. A reload tries again.';
    return;
  }
  show(points.map(([latitude, longitude]) => [latitude, longitude]));
  section.dataset.shown = '';
}
