// The picture: drawn anew when the tensor changes, larger and smaller, as files.
import {Picture} from '../../src/draw/page/picture.js';
import {Walk} from '../../src/draw/page/walk.js';
import {byId, download, notice} from './elements.js';
import {Moves} from './moves.js';

const pixelsPerUnit = 2;  // of a PNG
const [leastZoom, mostZoom] = [0.2, 8];
const leastFit = 0.7;

export class View {
  constructor() {
    this.frame = byId('picture');
    this.details = byId('details');
    this.zoom = 1;
    byId('zoom-in').addEventListener('click', () => this.magnify(1.25));
    byId('zoom-out').addEventListener('click', () => this.magnify(0.8));
    byId('zoom-fit').addEventListener('click', () => this.fit());
    byId('walk-step').addEventListener('click', () => this.step(1));
    byId('walk-back').addEventListener('click', () => this.step(-1));
    byId('walk-play').addEventListener('click', () => this.play());
    byId('moves').addEventListener('change', () => this.moves?.all(byId('moves').checked));
    this.frame.addEventListener('wheel', (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.magnify(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }, {passive: false});
  }

  // What the core answered to `draw`; `asked` answers what the cells do not tell.
  show(told, asked) {
    this.walk?.stop();
    this.told = told;
    // The SVG is of the core, which escapes all names. A parser of XML takes no scripts.
    const parsed = new DOMParser().parseFromString(told.svg, 'image/svg+xml');
    const root = document.createElement('div');
    root.append(document.importNode(parsed.documentElement, true));
    this.frame.replaceChildren(root);
    this.svg = root.querySelector('svg');
    this.width = Number(this.svg.getAttribute('width'));
    this.picture = new Picture(root, JSON.parse(told.model), this.details);
    Object.assign(this.picture, asked);
    this.walk = new Walk(this.picture, () => {
      byId('walk-play').textContent = this.walk.playing ? 'Stop' : 'Walk';
    });
    this.moves = new Moves(this.picture);
    byId('moves-label').hidden = !this.moves.to;
    this.magnify(1);
    if (told.title !== this.title) this.#fitWide();
    this.title = told.title;
    this.moves.all(byId('moves').checked);
    this.picture.idle();
    if (told.note) this.picture.complain(`The file is not shown: ${told.note}`);
  }

  magnify(factor) {
    if (!this.svg) return;
    this.zoom = Math.min(Math.max(this.zoom * factor, leastZoom), mostZoom);
    this.svg.style.width = `${this.width * this.zoom}px`;
    this.svg.style.height = 'auto';
  }

  fit() {
    if (!this.svg) return;
    this.zoom = 1;
    this.magnify(this.frame.clientWidth / this.width);
  }

  // Of another tensor: no smaller than it can be read.
  #fitWide() {
    const room = this.frame.clientWidth / this.width;
    this.zoom = 1;
    this.magnify(room < 1 ? Math.max(room, leastFit) : 1);
  }

  step(by) {
    this.walk?.stop();
    this.walk?.step(by);
  }

  play() {
    this.walk?.play();
  }

  find(text) {
    this.walk?.stop();
    this.picture?.find(text);
  }

  clear() {
    this.walk?.end();
  }

  saveSvg() {
    if (!this.told) return;
    download('layout.svg', [this.told.svg], 'image/svg+xml');
  }

  async savePng() {
    if (!this.told) return;
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.told.svg)}`;
    try {
      await image.decode();
    } catch {
      notice('This browser draws no PNG of the picture: save the SVG.');
      return;
    }
    const canvas = document.createElement('canvas');
    canvas.width = image.width * pixelsPerUnit;
    canvas.height = image.height * pixelsPerUnit;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => {
      if (blob) download('layout.png', [blob], 'image/png');
      else notice('The picture is too large for a PNG: save the SVG.');
    });
  }
}
