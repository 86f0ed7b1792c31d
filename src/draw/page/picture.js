// What is pointed at in one memory is shown in all: the panels of a picture and their cells.
import {coordinatesOf, offsetOf, question} from './places.js';

export const svgNamespace = 'http://www.w3.org/2000/svg';

function makeCell(node, panel) {
  const rect = node.querySelector('rect');
  const cell = {node, panel, kind: node.dataset.kind, index: node.dataset.index,
                value: node.dataset.value,
                x: +rect.getAttribute('x'), y: +rect.getAttribute('y'),
                width: +rect.getAttribute('width'), height: +rect.getAttribute('height')};
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
  return cell;
}

export class Picture {
  // `root` holds the SVG, `model` is what picture_model() tells of it, `details` is the
  // element that says what is shown.
  constructor(root, model, details) {
    this.root = root;
    this.model = model;
    this.details = details;
    this.panels = [...root.querySelectorAll('g.panel')].map(
        (g, number) => this.#panel(g, model.panels[number]));
    this.memories = this.panels.filter((panel) => !panel.layout.logical);
    for (const [event, quiet] of [['pointerover', true], ['focusin', false]]) {
      root.addEventListener(event, ({target}) => {
        const cell = this.cellOf(target);
        if (cell && !(quiet && this.busy)) this.show(cell);
      });
    }
  }

  // While a walk goes on, what lies under the pointer changes nothing.
  busy = false;
  // Called with the cells that are shown.
  shown = () => {};
  // What is asked where the cells do not tell it: the bit of an index ("n=0,c=1"), what lies
  // at an offset. Nothing is known without them.
  bitOf = () => undefined;
  whatIs = () => '';

  #panel(g, layout) {
    const panel = {g, name: g.dataset.panel, layout, cells: [], byIndex: new Map(),
                   byOffset: new Map(), rows: []};
    panel.overlay = document.createElementNS(svgNamespace, 'g');
    panel.overlay.setAttribute('class', 'overlay');
    g.append(panel.overlay);
    const rows = new Map();
    for (const node of g.querySelectorAll('g[data-kind]')) {
      const cell = makeCell(node, panel);
      node.setAttribute('tabindex', panel.cells.length === 0 ? '0' : '-1');
      node.setAttribute('role', 'img');
      node.setAttribute('aria-label', this.summary(cell));
      panel.cells.push(cell);
      if (!rows.has(cell.y)) rows.set(cell.y, []);
      const row = rows.get(cell.y);
      cell.at = [row.length, row];
      row.push(cell);
    }
    panel.rows = [...rows.values()];
    const numbers = new Map(panel.rows.map((row, number) => [row, number]));
    for (const cell of panel.cells) cell.at[1] = numbers.get(cell.at[1]);
    return panel;
  }

  facts(cell) {
    const what = {element: cell.index, padding: 'padding', other: 'of another part'};
    const all = [['', what[cell.kind] ?? 'a gap']];
    if (cell.offset !== undefined) {
      all.push(['offset', cell.offset], ['byte', cell.byte]);
      if (cell.panel.layout.axes.length > 1) {
        all.push(['', coordinatesOf(cell.panel.layout, this.model.element_bytes,
                                    cell.offset)]);
      }
    }
    if (cell.value !== undefined) all.push(['value', cell.value]);
    return all;
  }

  summary(cell) {
    return this.facts(cell).map(([name, value]) => `${name} ${value}`.trim()).join(', ');
  }

  cellOf(target) {
    return target.closest?.('g[data-kind]')?.cell;
  }

  // Those of the same element, in all panels.
  same(cell) {
    if (cell.index === undefined) return [cell];
    return this.panels.map((panel) => panel.byIndex.get(cell.index)).filter(Boolean);
  }

  // ---------------------------------------------------- what is shown ---

  frame(cell, style) {
    const rect = document.createElementNS(svgNamespace, 'rect');
    rect.setAttribute('class', style);
    for (const name of ['x', 'y', 'width', 'height']) rect.setAttribute(name, cell[name]);
    cell.panel.overlay.append(rect);
  }

  clear() {
    for (const panel of this.panels) panel.overlay.replaceChildren();
  }

  // Frames a cell and those of the same element in all panels; says what it is.
  show(cell, note = '') {
    for (const rect of this.root.querySelectorAll('.overlay rect')) rect.remove();
    this.current = cell;
    const same = this.same(cell);
    for (const one of same) this.frame(one, one === cell ? 'cursor' : 'lit');
    const [[, what], ...others] = this.facts(cell);
    this.details.className = '';
    const strong = document.createElement('b');
    strong.textContent = what;
    this.details.replaceChildren(strong);
    for (const [name, value] of others) this.#item(name, value);
    if (note) this.#item('', note);
    for (const one of same) {
      if (one === cell || one.offset === undefined) continue;
      const [, ...place] = this.facts(one);
      this.#item(one.panel.name,
                 place.filter(([name]) => name !== 'value')
                     .map(([name, value]) => `${name} ${value}`.trim()).join(', '));
    }
    this.shown(same);
  }

  #item(name, value) {
    const span = document.createElement('span');
    span.textContent = name ? `${name}: ${value}` : value;
    this.details.append(span);
  }

  complain(text) {
    this.clear();
    this.details.className = 'missing';
    this.details.textContent = text;
  }

  idle() {
    this.clear();
    this.current = undefined;
    this.details.className = '';
    this.details.textContent = 'Point at a cell to see what it holds and where it is.';
  }

  focus(cell) {
    for (const other of cell.panel.cells) other.node.setAttribute('tabindex', '-1');
    cell.node.setAttribute('tabindex', '0');
    cell.node.focus({preventScroll: true});
    cell.node.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  reveal(cell, note) {
    this.focus(cell);
    this.show(cell, note);
  }

  // Of what is not drawn.
  tell(text) {
    this.clear();
    this.details.className = '';
    this.details.textContent = text;
  }

  // ---------------------------------------------------------- finding ---

  // Finds an element or a place by what is typed.
  find(text) {
    const main = this.memories[0];
    const asked = question(text, this.model, main.layout);
    if (!asked) return this.idle();
    if (asked.complaint) return this.complain(asked.complaint);
    if (asked.offset !== undefined) {
      const cell = main.byOffset.get(asked.offset);
      if (cell) return this.reveal(cell, asked.note);
      return this.tell(`${text}: ${this.whatIs(asked.offset)}in a part that is left out.`);
    }
    for (const panel of this.memories) {
      if (panel.byIndex.has(asked.name)) return this.reveal(panel.byIndex.get(asked.name));
    }
    const offset = this.#offsetOf(asked, main.layout);
    if (offset === undefined) return this.complain(`${asked.name} is none of the cells drawn.`);
    const cell = main.byOffset.get(offset);
    if (cell) return this.reveal(cell);
    return this.tell(`${asked.name} lies at offset ${offset}, byte ` +
                     `${offset * BigInt(this.model.cell_bits) / 8n}: in a part that is left out.`);
  }

  // In cells.
  #offsetOf(asked, layout) {
    if (layout.plain) return offsetOf(layout, asked.index);
    const bit = this.bitOf(asked.name);
    return bit === undefined ? undefined : BigInt(bit) / BigInt(this.model.cell_bits);
  }

  // ---------------------------------------------------------- keyboard ---

  // The cell that an arrow, Home or End leads to.
  neighbour(cell, key) {
    const [column, row] = cell.at;
    const rows = cell.panel.rows;
    const beside = (other) => other?.[Math.min(column, other.length - 1)];
    switch (key) {
      case 'ArrowRight': return rows[row][column + 1] ?? rows[row + 1]?.[0];
      case 'ArrowLeft': return rows[row][column - 1] ?? rows[row - 1]?.at(-1);
      case 'ArrowDown': return beside(rows[row + 1]);
      case 'ArrowUp': return beside(rows[row - 1]);
      case 'Home': return rows[0][0];
      case 'End': return rows.at(-1).at(-1);
      default: return undefined;
    }
  }

  // Whether a key was one that moves from cell to cell.
  press(event) {
    const cell = this.cellOf(event.target);
    if (!cell) return false;
    const next = this.neighbour(cell, event.key);
    if (next) this.focus(next);
    return Boolean(next) || event.key.startsWith('Arrow');
  }
}
