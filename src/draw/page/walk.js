// Walks through memory order, from element to element.

import {svgNamespace} from './picture.js';

const stepMilliseconds = 350;
const shownSteps = 40;

export class Walk {
  // `changed` is called when it begins to play or stops.
  constructor(picture, changed = () => {}) {
    this.picture = picture;
    this.changed = changed;
    this.order = picture.memories[0].cells.filter((cell) => cell.kind === 'element')
        .sort((a, b) => (a.offset < b.offset ? -1 : 1));
    this.position = -1;
    this.timer = 0;
    // Digits from the innermost: which of them steps decides what jump it is.
    this.digits = [...picture.memories[0].layout.terms]
        .filter((term) => term.extent !== '1')
        .sort((a, b) => (BigInt(a.flat_stride) < BigInt(b.flat_stride) ? -1 : 1));
    // Where digits interleave, memory order follows none of them.
    let reach = 0n;
    this.nested = this.digits.every((term) => {
      const clear = BigInt(term.flat_stride) > reach;
      reach += (BigInt(term.extent) - 1n) * BigInt(term.flat_stride);
      return clear;
    });
  }

  get playing() {
    return this.timer !== 0;
  }

  #values(cell) {
    const index = cell.index.split(',').map((part) => BigInt(part.split('=')[1]));
    return this.digits.map((term) => {
      const value = (index[term.dim] + BigInt(term.bias)) / BigInt(term.div);
      return term.mod === '0' ? value : value % BigInt(term.mod);
    });
  }

  #jump(from, to) {
    if (!this.nested) return '';
    const a = this.#values(from);
    const b = this.#values(to);
    for (let level = this.digits.length - 1; level >= 0; --level) {
      if (a[level] !== b[level]) {
        if (b[level] - a[level] > 1n) return 'over what is left out';
        return `jump [${this.picture.model.walk || 'a'}:${level}] ${this.digits[level].name}`;
      }
    }
    return '';
  }

  // The last steps as a line through the cells, in every panel that has them.
  #trace() {
    const {panels, root} = this.picture;
    for (const path of root.querySelectorAll('.overlay .path')) path.remove();
    for (const panel of panels) {
      const points = [];
      const first = Math.max(0, this.position - shownSteps);
      for (const cell of this.order.slice(first, this.position + 1)) {
        const own = panel.byIndex.get(cell.index);
        if (own) points.push(`${own.x + own.width / 2},${own.y + own.height / 2}`);
      }
      const line = document.createElementNS(svgNamespace, 'polyline');
      line.setAttribute('class', 'path');
      line.setAttribute('points', points.join(' '));
      panel.overlay.append(line);
    }
  }

  step(by) {
    // From where somebody is.
    if (this.position < 0) this.position = this.order.indexOf(this.picture.current);
    const next = this.position + by;
    if (next < 0 || next >= this.order.length) return this.stop();
    const from = this.order[this.position];
    this.position = next;
    const cell = this.order[next];
    this.picture.show(cell, by > 0 && from ? this.#jump(from, cell) : '');
    this.#trace();
    cell.node.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.picture.busy = false;
    this.changed();
  }

  play() {
    if (this.playing) return this.stop();
    if (this.position + 1 >= this.order.length) this.position = -1;
    this.picture.busy = true;
    this.step(1);
    this.timer = setInterval(() => this.step(1), stepMilliseconds);
    this.changed();
  }

  end() {
    this.stop();
    this.position = -1;
    this.picture.idle();
  }
}
