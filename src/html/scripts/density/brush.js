// Painting on the map: by pointer, and by the arrow keys and the space bar.
/* global L */

const RADII = [4, 8, 16, 32, 64];
const KEYBOARD_STEP = 8;

/**
 * The brush. `paint(centre, radius)` is called for each place that it touches, in pixels of the view, between `begin(centre)`, which may refuse, and `end()`.
 * `mode` is move, brush or erase.
 */
export function createBrush(map, { begin, paint, end, onChange }) {
  const element = map.getContainer();
  const ring = L.DomUtil.create('div', 'brush-ring', element);
  ring.hidden = true;
  const brush = { mode: 'move', size: 2, at: null, isDown: false };
  const radius = () => RADII[brush.size];
  const place = (point) => {
    brush.at = point;
    ring.hidden = brush.mode === 'move' || point === null;
    if (ring.hidden) return;
    ring.style.width = `${2 * radius()}px`;
    ring.style.height = `${2 * radius()}px`;
    ring.style.transform = `translate(${point.x - radius()}px, ${point.y - radius()}px)`;
  };
  const moveTo = (point) => {
    const from = brush.at ?? point;
    const steps = Math.max(1, Math.ceil(from.distanceTo(point) / (radius() / 2)));
    for (let step = 1; step <= steps; step += 1)
      paint(from.add(point.subtract(from).multiplyBy(step / steps)), radius());
  };
  const dab = (point) => {
    if (!begin(point)) return;
    paint(point, radius());
    end();
  };
  const change = (changed) => {
    Object.assign(brush, changed);
    element.classList.toggle('painting', brush.mode !== 'move');
    if (brush.mode === 'move' && matchMedia('(pointer: fine)').matches) map.dragging.enable();
    else map.dragging.disable();
    map.keyboard[brush.mode === 'move' ? 'enable' : 'disable']();
    place(brush.at);
    onChange(brush);
  };

  element.addEventListener('pointerdown', (event) => {
    if (brush.mode === 'move' || event.button !== 0) return;
    const point = map.mouseEventToContainerPoint(event);
    brush.at = point;
    if (!begin(point)) return;
    brush.isDown = true;
    element.setPointerCapture(event.pointerId);
    place(point);
    paint(point, radius());
  });
  element.addEventListener('pointermove', (event) => {
    if (brush.mode === 'move') return;
    const point = map.mouseEventToContainerPoint(event);
    if (brush.isDown) moveTo(point);
    place(point);
  });
  for (const name of ['pointerup', 'pointercancel']) {
    element.addEventListener(name, () => {
      if (!brush.isDown) return;
      brush.isDown = false;
      end();
    });
  }
  element.addEventListener('pointerleave', () => place(null));
  element.addEventListener('keydown', (event) => {
    if (brush.mode === 'move' || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const size = map.getSize();
    const at = brush.at ?? size.divideBy(2);
    if (event.key in arrows) {
      const moved = at.add(
        L.point(arrows[event.key]).multiplyBy(event.shiftKey ? 4 * KEYBOARD_STEP : KEYBOARD_STEP),
      );
      place(L.point(Math.min(size.x, Math.max(0, moved.x)), Math.min(size.y, Math.max(0, moved.y))));
    } else if (event.key === ' ') {
      place(at);
      dab(at);
    } else return;
    event.preventDefault();
  });

  return {
    change,
    resize: (step) => change({ size: Math.min(RADII.length - 1, Math.max(0, brush.size + step)) }),
    get mode() {
      return brush.mode;
    },
  };
}

/** Paints the cells under a circle on the view, at least the one under its middle. */
export function paintCircle(map, raster, centre, radius, weight) {
  const { grid } = raster;
  const toLatLng = (x, y) => map.containerPointToLatLng([x, y]);
  const rowAt = (y) => Math.floor((grid.origin_lat - toLatLng(centre.x, y).lat) / grid.cell_deg);
  const middle = toLatLng(centre.x, centre.y);
  const degreesPerPixel = (toLatLng(centre.x + 1, centre.y).lng - middle.lng) / grid.cell_deg;
  const east = (middle.lng - grid.origin_lon) / grid.cell_deg;
  const column = east - (360 / grid.cell_deg) * Math.floor((east * grid.cell_deg) / 360);
  for (
    let row = Math.max(0, rowAt(centre.y - radius));
    row <= Math.min(grid.rows - 1, rowAt(centre.y + radius));
    row += 1
  ) {
    const { y } = map.latLngToContainerPoint([grid.origin_lat - (row + 0.5) * grid.cell_deg, middle.lng]);
    const half = Math.sqrt(Math.max(0, radius ** 2 - (y - centre.y) ** 2)) * degreesPerPixel;
    const from = Math.min(Math.floor(column), Math.round(column - half));
    raster.paintSpan(row, from, Math.max(Math.floor(column) + 1, Math.round(column + half)), weight);
  }
}
