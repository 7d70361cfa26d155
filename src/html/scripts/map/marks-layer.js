// Marks at places: each has the form and the colour of an entry of a legend, which is read from the page.
import { addCanvasLayer } from './canvas-layer.js';
import { whenThemeChanges } from './tokens.js';

const MARK_SIZE = 12;
/** How far marks stand beside each other that share a place, in pixels. */
const SPREAD = 9;
/** More marks than these are drawn smaller, so that they hide each other less. */
const CROWD = 200;
const CROWDED_SCALE = 0.65;

/** The layer, with `set(points, legend)`: points are [latitude, longitude, entry of the legend]. */
export function addMarksLayer(map) {
  let points = [];
  let offsets = [];
  let legend = null;
  let marks = [];
  const layer = addCanvasLayer(map, 'marks', 450, (context) => {
    const { x: width, y: height } = map.getSize();
    const scale = points.length > CROWD ? CROWDED_SCALE : 1;
    for (const [index, [latitude, longitude, entry]] of points.entries()) {
      const { x, y } = map.latLngToContainerPoint([latitude, longitude]);
      if (x < -MARK_SIZE || y < -MARK_SIZE || x > width + MARK_SIZE || y > height + MARK_SIZE) continue;
      drawMark(context, marks[entry], { x: x + offsets[index][0], y: y + offsets[index][1], scale });
    }
  });
  const readMarks = () => {
    marks = [...(legend?.querySelectorAll('.mark') ?? [])].map(readMark);
    layer.redraw();
  };
  whenThemeChanges(readMarks);
  return {
    set: (newPoints, newLegend) => {
      points = newPoints;
      offsets = spreadAtPlaces(newPoints);
      legend = newLegend;
      readMarks();
    },
    redraw: layer.redraw,
  };
}

/** Around points of different entries at the same place, so that each is seen. */
function spreadAtPlaces(points) {
  const byPlace = new Map();
  for (const [index, [latitude, longitude]] of points.entries()) {
    const place = `${latitude} ${longitude}`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), index]);
  }
  const offsets = points.map(() => [0, 0]);
  for (const indexes of byPlace.values()) {
    if (indexes.length === 1) continue;
    for (const [at, index] of indexes.entries()) {
      const angle = (2 * Math.PI * at) / indexes.length;
      offsets[index] = [SPREAD * Math.sin(angle), -SPREAD * Math.cos(angle)];
    }
  }
  return offsets;
}

function readMark(svg) {
  const path = svg.querySelector('path');
  const { fill, stroke, strokeWidth } = getComputedStyle(path);
  return { path: new Path2D(path.getAttribute('d')), fill, stroke, width: Number.parseFloat(strokeWidth) };
}

function drawMark(context, mark, { x, y, scale }) {
  if (mark === undefined) return;
  context.save();
  context.translate(x, y);
  context.scale(scale, scale);
  context.translate(-MARK_SIZE / 2, -MARK_SIZE / 2);
  context.fillStyle = mark.fill;
  context.strokeStyle = mark.stroke;
  context.lineWidth = mark.width;
  if (mark.fill !== 'none') context.fill(mark.path);
  if (mark.stroke !== 'none') context.stroke(mark.path);
  context.restore();
}
