// All of memory at any scale: each cell is what the first place of a range holds.

const columns = 64;
const rows = 20;
const labelled = {columns: 16, rows: 20};

const gapColour = {light: '#eef1f4', dark: '#1c232b'};
const paddingColour = {light: '#c3cad2', dark: '#4a535d'};

// The places that a cell stands for where all of them are shown: a power of two.
export function widestStep(places, cells = columns * rows) {
  let step = 1n;
  while (step * BigInt(cells) < places) step *= 2n;
  return step;
}

// The window of the same size around a place, within memory.
export function windowAt(middle, step, cells, places) {
  const size = step * BigInt(cells);
  let first = middle - size / 2n;
  if (first + size > places) first = places - size;
  if (first < 0n) first = 0n;
  return first - first % step;
}

export class MemoryMap {
  // `ask(words)` gives what the core says of a range; `moved("first,step")` is called when
  // another one is shown, `chosen(place)` where somebody wants to see a place.
  constructor(canvas, text, {ask, moved, chosen}) {
    Object.assign(this, {canvas, text, ask, moved, chosen});
    this.cursor = 0;
    canvas.addEventListener('keydown', (event) => this.#press(event));
    canvas.addEventListener('pointermove', (event) => this.#point(event));
    canvas.addEventListener('click', (event) => {
      this.#point(event);
      this.zoom(-1);
    });
    canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.sign(event.deltaY));
    }, {passive: false});
  }

  // "first,step", or empty for all of memory.
  show(window = '') {
    const asked = window.match(/^(\d+),(\d+)$/);
    const {places} = this.ask({first: 0, step: 1, cells: 1});
    this.places = BigInt(places);
    this.step = asked && BigInt(asked[2]) > 0n ? BigInt(asked[2]) : widestStep(this.places);
    if (this.step > widestStep(this.places)) this.step = widestStep(this.places);
    this.#size();
    const first = asked ? BigInt(asked[1]) : 0n;
    this.first = windowAt(first + this.step * BigInt(this.cells) / 2n, this.step, this.cells,
                          this.places);
    this.#load();
  }

  #size() {
    const all = this.step === 1n ? labelled : {columns, rows};
    this.columns = all.columns;
    this.rows = all.rows;
    this.cells = all.columns * all.rows;
  }

  #load() {
    this.told = this.ask({first: this.first, step: this.step, cells: this.cells});
    this.cursor = Math.min(this.cursor, Math.max(this.told.kinds.length - 1, 0));
    this.draw();
  }

  get window() {
    const all = this.first === 0n && this.step === widestStep(this.places);
    return all ? '' : `${this.first},${this.step}`;
  }

  #placeOf(cell) {
    return this.first + this.step * BigInt(cell);
  }

  // By a factor of 8 around the cursor.
  zoom(direction) {
    const place = this.#placeOf(this.cursor);
    const most = widestStep(this.places);
    let step = direction < 0 ? this.step / 8n : this.step * 8n;
    if (step < 1n) step = 1n;
    if (step > most) step = most;
    if (step === this.step) {
      if (direction < 0) this.chosen(place);
      return;
    }
    this.step = step;
    this.#size();
    this.first = windowAt(place, step, this.cells, this.places);
    this.cursor = Number((place - this.first) / step);
    this.#load();
    this.moved(this.window);
  }

  // By rows of cells.
  #scroll(cells) {
    const middle = this.first + this.step * BigInt(cells + this.cells / 2);
    const first = windowAt(middle, this.step, this.cells, this.places);
    if (first === this.first) return;
    this.first = first;
    this.#load();
    this.moved(this.window);
  }

  #press(event) {
    const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns,
                ArrowDown: this.columns, PageUp: -this.cells, PageDown: this.cells}[event.key];
    const zoom = {'+': -1, '=': -1, '-': 1}[event.key];
    if (by !== undefined) {
      const next = this.cursor + by;
      if (next >= 0 && next < this.told.kinds.length) this.cursor = next;
      else this.#scroll(Math.sign(by) * Math.max(Math.abs(by), this.columns));
      this.draw();
    } else if (zoom !== undefined) {
      this.zoom(zoom);
    } else if (event.key === 'Enter') {
      this.chosen(this.#placeOf(this.cursor));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #point(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * this.columns);
    const row = Math.floor((event.clientY - box.top) / box.height * this.rows);
    const cell = row * this.columns + column;
    if (cell < 0 || cell >= this.told.kinds.length || cell === this.cursor) return;
    this.cursor = cell;
    this.draw();
  }

  #fill(kind, dark) {
    const theme = dark ? 'dark' : 'light';
    if (kind === ' ') return [gapColour[theme], ''];
    if (kind === '.') return [paddingColour[theme], ''];
    const colours = this.told.colours[kind.charCodeAt(0) - 65] ?? this.told.colours[0];
    return dark ? [colours[2], colours[3]] : [colours[0], colours[1]];
  }

  draw() {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const ratio = Math.max(devicePixelRatio, 1);
    const width = this.canvas.clientWidth || 640;
    const cell = {width: width / this.columns, height: this.step === 1n ? 18 : 12};
    this.canvas.width = width * ratio;
    this.canvas.height = cell.height * this.rows * ratio;
    this.canvas.style.height = `${cell.height * this.rows}px`;
    const pen = this.canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = '11px ui-monospace, DejaVu Sans Mono, monospace';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    for (const [k, kind] of [...this.told.kinds].entries()) {
      const x = k % this.columns * cell.width;
      const y = Math.floor(k / this.columns) * cell.height;
      const [fill, ink] = this.#fill(kind, dark);
      pen.fillStyle = fill;
      pen.fillRect(x, y, cell.width + 0.5, cell.height - (this.step === 1n ? 1 : 0));
      const name = this.told.names[k];
      if (!name) continue;
      pen.fillStyle = ink;
      pen.fillText(name.replace(/[A-Za-z_]\w*=/g, ''), x + cell.width / 2, y + cell.height / 2,
                   cell.width - 2);
    }
    const x = this.cursor % this.columns * cell.width;
    const y = Math.floor(this.cursor / this.columns) * cell.height;
    pen.strokeStyle = dark ? '#6cb6ff' : '#0550ae';
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, y + 1, cell.width - 2, cell.height - 2);
    this.#tell();
  }

  #tell() {
    const place = this.#placeOf(this.cursor);
    const byte = place * BigInt(this.told.place_bits) / 8n;
    const kind = this.told.kinds[this.cursor];
    const holds = kind === ' ' ? 'a gap' : kind === '.' ? 'padding'
                : this.told.names[this.cursor] || 'an element';
    this.text.textContent = this.step === 1n
        ? `Place ${place}, byte ${byte}: ${holds}.`
        : `Place ${place}, byte ${byte}: ${holds}. A cell is the first of ${this.step} ` +
          `places, of ${this.places}.`;
  }
}
