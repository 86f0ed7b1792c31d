// Links the panels of a picture: what is pointed at in one memory is shown in
// all; finds elements and places; walks through memory order.
'use strict';
(() => {
  const model = JSON.parse(document.getElementById('model').textContent);
  const details = document.getElementById('details');
  const query = document.getElementById('query');
  const SVG = 'http://www.w3.org/2000/svg';

  // ------------------------------------------------------------- cells ---

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
      if (cell.index !== undefined) panel.byIndex.set(cell.index, cell);
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
               : cell.kind === 'padding' ? 'padding' : 'a gap';
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

  // ---------------------------------------------------------- keyboard ---

  function neighbour(cell, key) {
    const [column, row] = cell.at;
    const rows = cell.panel.rows;
    switch (key) {
      case 'ArrowRight': return rows[row][column + 1] ?? rows[row + 1]?.[0];
      case 'ArrowLeft': return rows[row][column - 1] ?? rows[row - 1]?.at(-1);
      case 'ArrowDown': return rows[row + 1]?.[Math.min(column, rows[row + 1].length - 1)];
      case 'ArrowUp': return rows[row - 1]?.[Math.min(column, rows[row - 1].length - 1)];
      case 'Home': return rows[0][0];
      case 'End': return rows.at(-1).at(-1);
      default: return undefined;
    }
  }

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      stop();
      idle();
      return;
    }
    if (event.target === query) return;
    const cell = cellOf(event.target);
    const next = cell && neighbour(cell, event.key);
    const act = {'/': () => query.focus(), n: () => step(1), b: () => step(-1),
                 p: play}[event.key];
    if (next) focus(next);
    else if (act) act();
    else if (!(cell && event.key.startsWith('Arrow'))) return;
    event.preventDefault();
  });

  // ------------------------------------------------------------ search ---

  // The offset of an index, as the layout's digits say.
  function offsetOf(layout, index) {
    let offset = BigInt(layout.base_offset);
    for (const term of layout.terms) {
      let value = (index[term.dim] + BigInt(term.bias)) / BigInt(term.div);
      if (term.mod !== '0') value %= BigInt(term.mod);
      offset += value * BigInt(term.flat_stride);
    }
    return offset;
  }

  function find(text) {
    const words = text.trim().split(/[\s,;]+/).filter(Boolean);
    const main = memories[0];
    if (words.length === 0) return idle();
    const number = text.trim().match(
        /^(byte|offset|element|b|e|o)?\s*[=:]?\s*(0x[0-9a-f]+|\d+)$/i);
    if (number && number[1]) {
      const asked = BigInt(number[2]);
      const bytes = number[1].toLowerCase().startsWith('b');
      const offset = bytes ? asked / BigInt(model.element_bytes) : asked;
      if (offset >= BigInt(main.layout.places)) {
        return complain(`${text}: beyond the tensor's ${main.layout.places} places.`);
      }
      return place(main, offset, text);
    }
    const given = new Map();
    const ordered = words.every((word) => /^\d+$/.test(word));
    for (const [k, word] of words.entries()) {
      const pair = word.match(/^([A-Za-z_]\w*)=(\d+)$/);
      if (!pair && !(ordered && words.length === model.shape.length)) {
        return complain(`${word}: not understood; try "${query.placeholder}", ` +
                        '"byte 64" or "offset 16".');
      }
      given.set(pair ? pair[1] : model.shape[k].name, BigInt(pair ? pair[2] : word));
    }
    const axes = main.layout.axes;
    if ([...given.keys()].every((name) => axes.some((axis) => axis.name === name)) &&
        ![...given.keys()].every((name) => model.shape.some((dim) => dim.name === name))) {
      let bytes = 0n;
      for (const axis of axes) {
        const at = given.get(axis.name) ?? 0n;
        if (at >= BigInt(axis.extent)) {
          return complain(`${axis.name}=${at}: the axis has ${axis.extent} steps.`);
        }
        bytes += at * BigInt(axis.pitch_bytes);
      }
      return place(main, bytes / BigInt(model.element_bytes), text);
    }
    const index = [];
    for (const name of given.keys()) {
      if (!model.shape.some((dim) => dim.name === name)) {
        return complain(`${name}: the tensor has dims ` +
                        `${model.shape.map((dim) => dim.name).join(', ')}.`);
      }
    }
    for (const dim of model.shape) {
      const at = given.get(dim.name) ?? 0n;
      if (at >= BigInt(dim.extent)) {
        return complain(`${dim.name}=${at}: ${dim.name} has ${dim.extent} indices.`);
      }
      index.push(at);
    }
    const name = model.shape.map((dim, d) => `${dim.name}=${index[d]}`).join(',');
    for (const panel of memories) {
      if (panel.byIndex.has(name)) return reveal(panel.byIndex.get(name));
    }
    const offset = offsetOf(main.layout, index);
    return complain(`${name} lies at offset ${offset}, byte ` +
                    `${offset * BigInt(model.element_bytes)}: in a part that is left out.`);
  }

  function place(panel, offset, text) {
    const cell = panel.byOffset.get(offset);
    if (cell) return reveal(cell);
    return complain(`${text}: in a part that is left out.`);
  }

  function reveal(cell) {
    stop();
    focus(cell);
    show(cell);
  }

  document.getElementById('search').addEventListener('submit', (event) => {
    event.preventDefault();
    find(query.value);
  });

  // -------------------------------------------------------------- walk ---

  const order = memories[0].cells.filter((cell) => cell.kind === 'element')
      .sort((a, b) => (a.offset < b.offset ? -1 : 1));
  let position = -1;
  let timer = 0;

  // Digits from the innermost: which of them steps decides what jump it is.
  const digits = [...memories[0].layout.terms]
      .filter((term) => term.extent !== '1')
      .sort((a, b) => (BigInt(a.flat_stride) < BigInt(b.flat_stride) ? -1 : 1));

  function values(cell) {
    const index = cell.index.split(',').map((part) => BigInt(part.split('=')[1]));
    return digits.map((term) => {
      const value = (index[term.dim] + BigInt(term.bias)) / BigInt(term.div);
      return term.mod === '0' ? value : value % BigInt(term.mod);
    });
  }

  function jump(from, to) {
    const a = values(from);
    const b = values(to);
    for (let level = digits.length - 1; level >= 0; --level) {
      if (a[level] !== b[level]) {
        return `[${model.walk || 'a'}:${level}] ${digits[level].name}`;
      }
    }
    return '';
  }

  // The last steps as a line through the cells, in every panel that has them.
  function trace() {
    for (const path of document.querySelectorAll('.overlay .path')) path.remove();
    for (const panel of panels) {
      const points = [];
      for (const cell of order.slice(Math.max(0, position - 40), position + 1)) {
        const own = panel.byIndex.get(cell.index);
        if (own) points.push(`${own.x + own.width / 2},${own.y + own.height / 2}`);
      }
      const line = document.createElementNS(SVG, 'polyline');
      line.setAttribute('class', 'path');
      line.setAttribute('points', points.join(' '));
      panel.overlay.append(line);
    }
  }

  function step(by) {
    const next = position + by;
    if (next < 0 || next >= order.length) return stop();
    const from = order[position];
    position = next;
    const cell = order[position];
    const note = by > 0 && from ? `jump ${jump(from, cell)}` : '';
    show(cell, note);
    trace();
    cell.node.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    document.getElementById('play').textContent = 'Walk';
  }

  function play() {
    if (timer) return stop();
    if (position + 1 >= order.length) position = -1;
    document.getElementById('play').textContent = 'Stop';
    step(1);
    timer = setInterval(() => step(1), 350);
  }

  document.getElementById('step').addEventListener('click', () => { stop(); step(1); });
  document.getElementById('back').addEventListener('click', () => { stop(); step(-1); });
  document.getElementById('play').addEventListener('click', play);
  document.getElementById('stop').addEventListener('click', () => {
    stop();
    position = -1;
    idle();
  });

  idle();
  document.documentElement.dataset.ready = 'yes';
})();
