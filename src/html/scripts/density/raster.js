// A density as it is painted: a weight from 0 to 255 for each cell, and what can be taken back. Cells are kept for that in parts, a copy of
// each part that a stroke touches, so that a stroke costs what it touches and not what the raster has: sixteen million cells.

export const MOST_CELLS_A_SIDE = 4_000;
const PART_CELLS = 1_024;
const MOST_STROKES = 100;
const MOST_KEPT_BYTES = 96 * 1_024 * 1_024;

/** A grid is {origin_lat, origin_lon, cell_deg, rows, cols}, its origin the north-west corner. */
export class DensityRaster {
  constructor(grid, weights = new Uint8Array(grid.rows * grid.cols)) {
    this.grid = grid;
    this.weights = weights;
    this.undoable = [];
    this.redoable = [];
    this.stroke = null;
  }

  /** What is painted until the stroke ends is taken back at once. */
  beginStroke() {
    this.stroke = new Map();
  }

  /** Sets the cells of a row from one column to before another; those that are outside are left out. */
  paintSpan(row, fromColumn, toColumn, weight) {
    const { rows, cols } = this.grid;
    const [from, to] = [Math.max(0, fromColumn), Math.min(cols, toColumn)];
    if (row < 0 || row >= rows || from >= to) return;
    const [start, end] = [row * cols + from, row * cols + to];
    for (let part = Math.floor(start / PART_CELLS); part * PART_CELLS < end; part += 1) this.#keep(part);
    this.weights.fill(weight, start, end);
  }

  #keep(part) {
    if (this.stroke.has(part)) return;
    this.stroke.set(part, this.weights.slice(part * PART_CELLS, (part + 1) * PART_CELLS));
  }

  /** Ends the stroke; false when it has touched nothing. */
  endStroke() {
    const { stroke } = this;
    this.stroke = null;
    if (stroke === null || stroke.size === 0) return false;
    this.undoable.push(stroke);
    this.redoable = [];
    let kept = this.undoable.reduce((sum, { size }) => sum + size * PART_CELLS, 0);
    while (this.undoable.length > MOST_STROKES || (kept > MOST_KEPT_BYTES && this.undoable.length > 1))
      kept -= this.undoable.shift().size * PART_CELLS;
    return true;
  }

  /** Takes the last stroke back; false when there is none. */
  undo() {
    return this.#exchange(this.undoable, this.redoable);
  }

  /** Does the stroke again that was taken back last; false when there is none. */
  redo() {
    return this.#exchange(this.redoable, this.undoable);
  }

  #exchange(from, to) {
    const stroke = from.pop();
    if (stroke === undefined) return false;
    for (const [part, cells] of stroke) {
      const now = this.weights.slice(part * PART_CELLS, (part + 1) * PART_CELLS);
      this.weights.set(cells, part * PART_CELLS);
      stroke.set(part, now);
    }
    to.push(stroke);
    return true;
  }

  /** Empties every cell, as a stroke. */
  clear() {
    this.beginStroke();
    for (let row = 0; row < this.grid.rows; row += 1) this.paintSpan(row, 0, this.grid.cols, 0);
    this.endStroke();
  }

  isEmpty() {
    const { weights } = this;
    for (let cell = 0; cell < weights.length; cell += 1) if (weights[cell] !== 0) return false;
    return true;
  }

  /** What is painted on another grid: each of its cells takes the weight at its centre. */
  resample(grid) {
    const raster = new DensityRaster(grid);
    const columns = Int32Array.from({ length: grid.cols }, (_, column) =>
      columnOf(this.grid, grid.origin_lon + (column + 0.5) * grid.cell_deg),
    );
    for (let row = 0; row < grid.rows; row += 1) {
      const from = rowOf(this.grid, grid.origin_lat - (row + 0.5) * grid.cell_deg);
      if (from < 0 || from >= this.grid.rows) continue;
      for (let column = 0; column < grid.cols; column += 1)
        if (columns[column] < this.grid.cols)
          raster.weights[row * grid.cols + column] = this.weights[from * this.grid.cols + columns[column]];
    }
    return raster;
  }
}

/** The row of a latitude; outside of the grid it is none of its rows. */
export function rowOf(grid, latitude) {
  return Math.floor((grid.origin_lat - latitude) / grid.cell_deg);
}

/** The column of a longitude, which may be one or more circles further; beyond the last one outside of the grid. */
export function columnOf(grid, longitude) {
  const east = longitude - grid.origin_lon;
  return Math.floor((east - 360 * Math.floor(east / 360)) / grid.cell_deg);
}

/** A grid over a box [west, south, east, north] of at most `mostCells` a side, in cells of 1, 2 or 5 times a power of ten. */
export function gridOver([west, south, east, north], mostCells) {
  const least = Math.max(east - west, north - south) / (mostCells - 2);
  const power = 10 ** Math.floor(Math.log10(least));
  const cell = Math.min(
    1,
    [1, 2, 5, 10].map((step) => step * power).find((step) => step >= least),
  );
  const [left, top] = [Math.floor(west / cell), Math.min(Math.ceil(north / cell), Math.floor(90 / cell))];
  const bottom = Math.max(Math.floor(south / cell), Math.ceil(-90 / cell));
  return {
    origin_lat: toDegrees(top * cell),
    origin_lon: toDegrees(Math.max(left * cell, -180)),
    cell_deg: toDegrees(cell),
    rows: Math.max(1, top - bottom),
    cols: Math.max(1, Math.ceil(east / cell) - left),
  };
}

/** Without the last bits that sums of decimal fractions leave. */
function toDegrees(value) {
  return Number(value.toFixed(9));
}
