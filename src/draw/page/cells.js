// What is pointed at in one memory is shown in all. The files of this folder are
// one script, within one function: see page.html.
const model = JSON.parse(document.getElementById('model').textContent);
const details = document.getElementById('details');
const query = document.getElementById('query');
const SVG = 'http://www.w3.org/2000/svg';

const panels = [...document.querySelectorAll('g.panel')].map((g, number) => {
  const panel = {g, number, name: g.dataset.panel, layout: model.panels[number],
                 cells: [], byIndex: new Map(), byOffset: new Map(), rows: []};
  panel.overlay = document.createElementNS(SVG, 'g');
  panel.overlay.setAttribute('class', 'overlay');
  g.append(panel.overlay);
  const rows = new Map();
  for (const node of g.querySelectorAll('g[data-kind]')) {
    const rect = node.querySelector('rect');
    const cell = {node, panel, kind: node.dataset.kind, index: node.dataset.index,
                  value: node.dataset.value,
                  x: +rect.getAttribute('x'), y: +rect.getAttribute('y'),
                  width: +rect.getAttribute('width'),
                  height: +rect.getAttribute('height')};
    if (node.dataset.offset !== undefined) {
      cell.offset = BigInt(node.dataset.offset);
      cell.byte = BigInt(node.dataset.byte);
      panel.byOffset.set(cell.offset, cell);
    }
    // An element of several cells is found where it begins.
    if (cell.index !== undefined && !panel.byIndex.has(cell.index)) {
      panel.byIndex.set(cell.index, cell);
    }
    node.cell = cell;
    node.setAttribute('tabindex', panel.cells.length === 0 ? '0' : '-1');
    node.setAttribute('role', 'img');
    node.setAttribute('aria-label', summary(cell));
    panel.cells.push(cell);
    if (!rows.has(cell.y)) rows.set(cell.y, []);
    cell.at = [rows.get(cell.y).length, [...rows.keys()].indexOf(cell.y)];
    rows.get(cell.y).push(cell);
  }
  panel.rows = [...rows.values()];
  return panel;
});
const memories = panels.filter((panel) => !panel.layout.logical);

function coordinates(layout, offset) {
  let bytes = offset * BigInt(model.element_bytes);
  return layout.axes.map((axis) => {
    const at = bytes / BigInt(axis.pitch_bytes);
    bytes %= BigInt(axis.pitch_bytes);
    return `${axis.name}=${at}`;
  }).join(',');
}

function facts(cell) {
  const what = cell.kind === 'element' ? cell.index
             : cell.kind === 'padding' ? 'padding'
             : cell.kind === 'other' ? 'of another part' : 'a gap';
  const all = [['', what]];
  if (cell.offset !== undefined) {
    all.push(['offset', cell.offset], ['byte', cell.byte]);
    if (cell.panel.layout.axes.length > 1) {
      all.push(['', coordinates(cell.panel.layout, cell.offset)]);
    }
  }
  if (cell.value !== undefined) all.push(['value', cell.value]);
  return all;
}

function summary(cell) {
  return facts(cell).map(([name, value]) => `${name} ${value}`.trim()).join(', ');
}

// ------------------------------------------------------ what is shown ---

function frame(cell, style) {
  const rect = document.createElementNS(SVG, 'rect');
  rect.setAttribute('class', style);
  for (const name of ['x', 'y', 'width', 'height']) rect.setAttribute(name, cell[name]);
  cell.panel.overlay.append(rect);
}

function clear() {
  for (const panel of panels) panel.overlay.replaceChildren();
}

// Frames a cell and those of the same element in all panels; says what it is.
function show(cell, note = '') {
  for (const rect of document.querySelectorAll('.overlay rect')) rect.remove();
  const same = cell.index === undefined ? [cell]
      : panels.map((panel) => panel.byIndex.get(cell.index)).filter(Boolean);
  for (const one of same) frame(one, one === cell ? 'cursor' : 'lit');
  tell(facts(cell), note);
  for (const one of same) {
    if (one === cell || one.offset === undefined) continue;
    item(one.panel.name, `offset ${one.offset}, byte ${one.byte}` +
         (one.panel.layout.axes.length > 1
              ? `, ${coordinates(one.panel.layout, one.offset)}` : ''));
  }
  return same;
}

function item(name, value) {
  const span = document.createElement('span');
  span.textContent = name ? `${name}: ${value}` : value;
  details.append(span);
}

function tell(all, note = '') {
  details.className = '';
  details.replaceChildren();
  const strong = document.createElement('b');
  strong.textContent = all[0][1];
  details.append(strong);
  for (const [name, value] of all.slice(1)) item(name, value);
  if (note) item('', note);
}

function complain(text) {
  clear();
  details.className = 'missing';
  details.textContent = text;
}

function idle() {
  clear();
  details.className = '';
  details.textContent = 'Point at a cell to see what it holds and where it is.';
}

function focus(cell) {
  for (const other of cell.panel.cells) other.node.setAttribute('tabindex', '-1');
  cell.node.setAttribute('tabindex', '0');
  cell.node.focus({preventScroll: true});
  cell.node.scrollIntoView({block: 'nearest', inline: 'nearest'});
}

const cellOf = (target) => target.closest?.('g[data-kind]')?.cell;
const picture = document.getElementById('picture');
picture.addEventListener('pointerover', (event) => {
  const cell = cellOf(event.target);
  if (cell && !timer) show(cell);
});
picture.addEventListener('focusin', (event) => {
  const cell = cellOf(event.target);
  if (cell) show(cell);
});
