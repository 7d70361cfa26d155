// The density that is painted: its raster, its picture on the map, and the fields of the form, which are sent with it.
import { findCountryAt } from '../map/borders.js';
import {
  clearDensity,
  readCountry,
  readGrid,
  readWeightsText,
  writeGrid,
  writeWeightsText,
} from './fields.js';
import { addRasterLayer } from './raster-layer.js';
import { DensityRaster, gridOver } from './raster.js';
import { decodeWeights, encodeWeights } from './weights-text.js';

/** Cells a side of a grid over a whole country; who needs finer ones writes them into its fields. */
const CELLS_OF_COUNTRY = 1_000;

export class PaintedDensity {
  /** `onChange` is called when there is more or less to be taken back. */
  constructor(form, map, { version, countries }, onChange) {
    this.form = form;
    this.countries = countries;
    this.version = version;
    this.onChange = onChange;
    this.raster = null;
    this.country = '';
    this.layer = addRasterLayer(map);
    this.writes = 0;
  }

  isEmpty() {
    return this.raster === null || this.raster.isEmpty();
  }

  set(raster) {
    this.raster = raster;
    this.layer.set(raster);
    this.onChange();
  }

  /** An empty raster for a country. */
  begin(country, grid) {
    this.country = country;
    writeGrid(this.form, grid, { country, boundaryVersion: this.version });
    this.set(new DensityRaster(grid));
  }

  chosenCountry() {
    return this.countries.find(({ code }) => code === readCountry(this.form));
  }

  /** An empty raster for the country that is chosen, if nothing is painted yet. */
  beginChosenCountry() {
    const country = this.chosenCountry();
    if (country === undefined) return undefined;
    this.country = country.code;
    if (this.isEmpty()) this.begin(country.code, gridOver(country.box, CELLS_OF_COUNTRY));
    return country;
  }

  /** Whether there is a raster; one is made for the chosen country or the one at a place. */
  requireRaster(latitude, longitude) {
    if (this.raster !== null) return true;
    const country = this.chosenCountry() ?? findCountryAt(this.countries, latitude, longitude);
    if (country === undefined) return false;
    this.begin(country.code, readGrid(this.form) ?? gridOver(country.box, CELLS_OF_COUNTRY));
    return true;
  }

  /** Shows and writes what has been painted. */
  changed() {
    this.layer.redraw();
    this.onChange();
    void this.write();
  }

  /** Puts it into the fields; of two writes the later counts. */
  async write() {
    this.writes += 1;
    const { form, raster, country, writes, version } = this;
    if (raster.isEmpty()) {
      clearDensity(form);
      writeWeightsText(form, '');
      return;
    }
    const text = await encodeWeights(raster.weights);
    if (writes !== this.writes) return;
    writeGrid(form, raster.grid, { country, boundaryVersion: version });
    writeWeightsText(form, text);
  }

  /** Shows what the fields hold, where they hold a density. */
  async read() {
    const grid = readGrid(this.form);
    const text = readWeightsText(this.form);
    if (grid === undefined || text === '') return;
    const weights = await decodeWeights(text, grid.rows * grid.cols);
    if (weights === undefined) return;
    this.country = readCountry(this.form);
    this.set(new DensityRaster(grid, weights));
  }

  /** What is painted on the grid that the fields have now. */
  takeGrid() {
    const grid = readGrid(this.form);
    if (grid === undefined || this.raster === null) return;
    this.set(this.raster.resample(grid));
    void this.write();
  }

  undo() {
    if (this.raster?.undo()) this.changed();
  }

  redo() {
    if (this.raster?.redo()) this.changed();
  }

  clear() {
    if (this.raster === null) return;
    this.raster.clear();
    this.changed();
  }
}
