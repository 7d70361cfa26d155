// A density on a map: each pixel takes the weight of the cell under it, so that the picture costs what the screen has, not what the
// raster has. Of a stroke only the pixels are drawn anew that it has touched.
import { addCanvas, whenViewChanges } from '../map/canvas-layer.js';
import { readToken, whenThemeChanges } from '../map/tokens.js';
import { columnOf, rowOf } from './raster.js';

const FAINTEST = 60;
const STRONGEST = 215;

/** The layer, with `set(raster)` and `redraw(box)`: a box is {left, top, right, bottom} in pixels of the view. */
export function addRasterLayer(map) {
  let raster = null;
  let colours = readColours();
  let view = null;
  const canvas = addCanvas(map, 'density', 400);
  const redraw = () => {
    view = prepareView(map, canvas, raster?.grid);
    drawBox({ left: 0, top: 0, right: canvas.width, bottom: canvas.height });
  };
  const drawBox = ({ left, top, right, bottom }) => {
    const { image, pixels, columns, rows, context } = view;
    const { width, height } = image;
    const [x0, y0] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))];
    const [x1, y1] = [Math.min(width, Math.ceil(right)), Math.min(height, Math.ceil(bottom))];
    if (x0 >= x1 || y0 >= y1) return;
    for (let y = y0; y < y1; y += 1) {
      const from = y * width;
      if (raster === null || rows[y] < 0) {
        pixels.fill(0, from + x0, from + x1);
        continue;
      }
      const first = rows[y] * raster.grid.cols;
      for (let x = x0; x < x1; x += 1)
        pixels[from + x] = columns[x] < 0 ? 0 : colours[raster.weights[first + columns[x]]];
    }
    context.putImageData(image, 0, 0, x0, y0, x1 - x0, y1 - y0);
  };
  whenViewChanges(map, canvas, redraw);
  whenThemeChanges(() => {
    colours = readColours();
    redraw();
  });
  return {
    set: (shown) => {
      raster = shown;
      redraw();
    },
    redraw: (box) => {
      if (box === undefined) redraw();
      else drawBox(box);
    },
  };
}

/** Ink, the stronger the more homes: a colour for each weight, as pixels hold them. */
function readColours() {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(readToken('text').slice(at, at + 2), 16));
  return Uint32Array.from({ length: 256 }, (_, weight) => {
    const alpha = weight === 0 ? 0 : Math.round(FAINTEST + ((STRONGEST - FAINTEST) * weight) / 255);
    return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

/** The canvas as large as the view, and for each of its columns and rows that of the grid; -1 outside of it. */
function prepareView(map, canvas, grid) {
  const { x: width, y: height } = map.getSize();
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d');
  const image = context.createImageData(Math.max(1, width), Math.max(1, height));
  const within = (place, count) => (place >= 0 && place < count ? place : -1);
  const at = (x, y) => map.containerPointToLatLng([x + 0.5, y + 0.5]);
  const columns = Int32Array.from({ length: width }, (_, x) =>
    grid === undefined ? -1 : within(columnOf(grid, at(x, 0).lng), grid.cols),
  );
  const rows = Int32Array.from({ length: height }, (_, y) =>
    grid === undefined ? -1 : within(rowOf(grid, at(0, y).lat), grid.rows),
  );
  return { context, image, pixels: new Uint32Array(image.data.buffer), columns, rows };
}
