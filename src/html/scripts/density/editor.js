// Paints the density of the form on its map, with the tools of the page.
import { createBrush, paintCircle } from './brush.js';
import { whenDensityChanges } from './fields.js';
import { importOutline } from './outline-import.js';
import { OutlineError } from './outline.js';
import { PaintedDensity } from './painted-density.js';

/** Starts it once the borders are there, without which no country is known. */
export async function startDensityEditor(form, { map, borders, show }) {
  const tools = document.querySelector('[data-density-tools]');
  const loaded = await borders;
  if (loaded === undefined) return;
  const say = (text) => {
    tools.querySelector('[data-density-status]').textContent = text;
  };
  const weight = () => Number(tools.querySelector('[data-brush-weight]').value);
  const density = new PaintedDensity(form, map, loaded, () => showHistory(tools, density));
  const brush = createBrush(map, {
    begin: (centre) => {
      const { lat, lng } = map.containerPointToLatLng(centre);
      const hasRaster = density.requireRaster(lat, lng);
      say(hasRaster ? '' : 'There is no country. Paint on land.');
      if (hasRaster) density.raster.beginStroke();
      return hasRaster;
    },
    paint: (centre, radius) => {
      paintCircle(map, density.raster, centre, radius, brush.mode === 'erase' ? 0 : weight());
      density.layer.redraw(boxOf(centre, radius + 1));
    },
    end: () => {
      if (density.raster.endStroke()) density.changed();
    },
    onChange: ({ mode }) => showMode(tools, mode),
  });
  const actions = {
    undo: () => density.undo(),
    redo: () => density.redo(),
    clear: () => density.clear(),
    smaller: () => brush.resize(-1),
    larger: () => brush.resize(1),
  };
  tools.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (button?.dataset.mode !== undefined) brush.change({ mode: button.dataset.mode });
    actions[button?.dataset.action]?.();
  });
  listenToKeys(map.getContainer(), brush, actions);
  tools.querySelector('[type="file"]').addEventListener('change', async ({ target }) => {
    const [file] = target.files;
    if (file === undefined) return;
    try {
      show(toBounds(await importOutline(file, density, weight())));
      say(`${file.name} is painted.`);
    } catch (error) {
      if (!(error instanceof OutlineError)) throw error;
      say(`${file.name}: ${error.message}`);
    }
    target.value = '';
  });
  const showCountry = () => {
    const country = density.beginChosenCountry();
    if (country !== undefined) show(toBounds(country.box));
  };
  whenDensityChanges(form, (name, isOfGrid) => {
    if (name === 'country') showCountry();
    else if (isOfGrid && density.raster !== null) density.takeGrid();
    else void density.read();
  });
  await density.read();
  // Somebody may have chosen a country before the borders were there.
  if (density.raster === null) showCountry();
  tools.inert = false;
}

const boxOf = ({ x, y }, reach) => ({ left: x - reach, top: y - reach, right: x + reach, bottom: y + reach });

const toBounds = ([west, south, east, north]) => [
  [south, west],
  [north, east],
];

function showMode(tools, mode) {
  for (const button of tools.querySelectorAll('[data-mode]'))
    button.setAttribute('aria-pressed', String(button.dataset.mode === mode));
}

function showHistory(tools, { raster }) {
  tools.querySelector('[data-action="undo"]').disabled = raster.undoable.length === 0;
  tools.querySelector('[data-action="redo"]').disabled = raster.redoable.length === 0;
  tools.querySelector('[data-action="clear"]').disabled = false;
}

/** `b` brush, `e` eraser, `m` to move the map, `[` and `]` sizes, Ctrl-Z and Ctrl-Shift-Z: while the map has the focus alone. */
function listenToKeys(element, brush, actions) {
  element.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key === 'z') {
      if (event.shiftKey) actions.redo();
      else actions.undo();
    } else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (key in MODES) brush.change({ mode: MODES[key] });
    else if (key === '[') actions.smaller();
    else if (key === ']') actions.larger();
    else return;
    event.preventDefault();
  });
}

const MODES = { b: 'brush', e: 'erase', m: 'move' };
