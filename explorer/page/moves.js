// Where elements go in a conversion: arrows from the one memory to the other.
import {svgNamespace} from '../../src/draw/page/picture.js';

const mostArrows = 256;

export class Moves {
  constructor(picture) {
    this.picture = picture;
    this.svg = picture.root.querySelector('svg');
    [this.from, this.to] = picture.memories;
    if (!this.to) return;
    this.layer = document.createElementNS(svgNamespace, 'g');
    this.layer.setAttribute('class', 'moves');
    this.layer.setAttribute('aria-hidden', 'true');
    this.svg.append(this.layer);
    picture.shown = (same) => this.#of(same);
  }

  // The middle of a cell, in the coordinates of the whole picture.
  #middle(cell) {
    const matrix = this.svg.getScreenCTM().inverse()
        .multiply(cell.panel.g.getScreenCTM());
    return new DOMPoint(cell.x + cell.width / 2, cell.y + cell.height / 2)
        .matrixTransform(matrix);
  }

  #arrow(from, to, style) {
    const [a, b] = [this.#middle(from), this.#middle(to)];
    const path = document.createElementNS(svgNamespace, 'path');
    const bend = Math.min(60, Math.abs(b.y - a.y) / 2 + 12);
    path.setAttribute('d', `M${a.x} ${a.y}C${a.x} ${a.y + bend} ${b.x} ${b.y - bend} ` +
                           `${b.x} ${b.y}`);
    path.setAttribute('class', style);
    this.layer.append(path);
    const end = document.createElementNS(svgNamespace, 'circle');
    for (const [name, value] of [['cx', b.x], ['cy', b.y], ['r', 3]]) {
      end.setAttribute(name, value);
    }
    end.setAttribute('class', style);
    this.layer.append(end);
  }

  // Of the element that is pointed at.
  #of(same) {
    for (const one of this.layer.querySelectorAll('.move')) one.remove();
    const from = same.find((cell) => cell.panel === this.from);
    const to = same.find((cell) => cell.panel === this.to);
    if (from && to) this.#arrow(from, to, 'move');
  }

  // Of all elements that both memories show, or of as many as can be told apart.
  all(shown) {
    if (!this.to) return;
    for (const one of this.layer.querySelectorAll('.move-all')) one.remove();
    if (!shown) return;
    const pairs = [...this.from.byIndex.values()]
        .map((from) => [from, this.to.byIndex.get(from.index)]).filter(([, to]) => to);
    for (const [from, to] of pairs.slice(0, mostArrows)) this.#arrow(from, to, 'move-all');
  }
}
