// The homes of the map as a table, those that draw most first, a page at a time: for who cannot see the map.

const ROWS_A_PAGE = 25;
const HEADINGS = ['Home', 'Latitude, longitude', 'Power from the grid'];

/** The table in `details`, which is made when it is folded out; `show(data, quarter)` fills it. */
export function createPowerTable(details) {
  const [body] = details.querySelector('table').tBodies;
  const position = details.querySelector('[data-position]');
  const [before, after] = details.querySelectorAll('button');
  const state = { data: null, quarter: 0, page: 0 };
  const fill = () => {
    if (!details.open || state.data === null) return;
    const { places, powerAt } = state.data;
    const rows = places
      .map((place, at) => ({ place, at, power: powerAt(at, state.quarter) }))
      .sort((a, b) => (b.power ?? -Infinity) - (a.power ?? -Infinity));
    const pages = Math.ceil(rows.length / ROWS_A_PAGE);
    state.page = Math.min(state.page, pages - 1);
    const first = state.page * ROWS_A_PAGE;
    const shown = rows.slice(first, first + ROWS_A_PAGE);
    body.replaceChildren(...shown.map(toRow));
    position.textContent = `${first + 1} to ${first + shown.length} of ${rows.length}`;
    before.disabled = state.page === 0;
    after.disabled = state.page === pages - 1;
  };
  const turn = (pages) => {
    state.page += pages;
    fill();
  };
  before.addEventListener('click', () => turn(-1));
  after.addEventListener('click', () => turn(1));
  details.addEventListener('toggle', fill);
  return {
    show: (data, quarter) => {
      Object.assign(state, { data, quarter });
      fill();
    },
  };
}

function toRow({ place: [latitude, longitude, homes, path], at, power }) {
  const name = homes === 1 ? `Home ${at + 1}` : `${homes} homes, mean of each`;
  const cells = [name, `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`, formatPower(power)];
  const row = document.createElement('tr');
  row.setAttribute('role', 'row');
  for (const [index, text] of cells.entries()) {
    const cell = row.insertCell();
    cell.setAttribute('role', 'cell');
    if (index > 0) cell.dataset.label = HEADINGS[index];
    if (index === 2) cell.className = 'number';
    if (index > 0 || path === null) {
      cell.textContent = text;
      continue;
    }
    const link = document.createElement('a');
    link.href = path;
    link.textContent = text;
    cell.append(link);
  }
  return row;
}

function formatPower(power) {
  if (power === null) return 'not known';
  return `${(power / 1_000).toFixed(2)} kW`;
}
