/* global L */

/**
 * A layer that is one canvas over the whole view, drawn anew by `draw(context)` whenever the view changes, in pixels of the view.
 * Thousands of marks, cells or corners are drawn in a few milliseconds, which as many objects of Leaflet are not.
 */
export function addCanvasLayer(map, name, zIndex, draw) {
  const canvas = addCanvas(map, name, zIndex);
  const redraw = () => draw(prepare(map, canvas));
  whenViewChanges(map, canvas, redraw);
  return { redraw };
}

/** An empty canvas above the map, in a pane of its own, which lets the pointer through. */
export function addCanvas(map, name, zIndex) {
  const pane = map.createPane(name);
  pane.style.zIndex = zIndex;
  pane.style.pointerEvents = 'none';
  const canvas = L.DomUtil.create('canvas', 'leaflet-zoom-hide', pane);
  canvas.setAttribute('aria-hidden', 'true');
  return canvas;
}

/** Keeps a canvas where the view is, and has it drawn anew when that changes. */
export function whenViewChanges(map, canvas, redraw) {
  const place = () => L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([0, 0]));
  place();
  map.on('move zoom viewreset resize', () => {
    place();
    redraw();
  });
}

/** The canvas as large as the view and empty, sharp on every screen. */
function prepare(map, canvas) {
  const { x: width, y: height } = map.getSize();
  const ratio = devicePixelRatio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
