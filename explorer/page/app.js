// The page: a state, which the address tells, and all that shows it.
import {CoreError} from './core.js';
import {LayoutField, complainAt} from './editor.js';
import {byId, copy, element} from './elements.js';
import {Files} from './files.js';
import {MemoryMap} from './map.js';
import {Panels} from './panels.js';
import {Sliders} from './sliders.js';
import {addressOf, extentsOf, pictureOf, shapeOf, stateOf, tensorOf,
        textOf} from './state.js';
import {View} from './view.js';

const types = ['f32', 'f16', 'bf16', 'f64', 's8', 'u8', 's16', 'u16', 's32', 'u32', 's64', 'u64',
               'f8_e4m3fn', 'f8_e5m2', 's4', 'u4', 'u2', 'u1', 'f4'];

const longestReport = 600;

export class App {
  constructor(core) {
    this.core = core;
    this.state = stateOf(location.hash);
    this.view = new View();
    this.panels = new Panels(this);
    this.files = new Files(byId('files'), core, {
      words: () => tensorOf(this.state),
      changed: (told) => this.#fileTells(told),
      fits: (layout, shape, dtype) => this.change({layout, shape, dtype, to: ''}),
    });
    core.restarted = () => this.files.forget();
    this.map = new MemoryMap(byId('map-canvas'), byId('map-text'), {
      ask: (words) => core.ask('map', {...tensorOf(this.state), to: '',
                                       colour: this.state.colour, ...words}),
      moved: (map) => this.replace({map}),
      chosen: (place) => this.view.find(`offset ${place}`),
    });
    this.#fields();
    this.#buttons();
    this.#keys();
    addEventListener('popstate', () => {
      for (const field of Object.values(this.layoutFields)) field.close();
      this.state = stateOf(location.hash);
      this.show();
    });
    this.show();
  }

  // The catalogue by name; it is read when it is needed first.
  get entries() {
    this.known ??= new Map(this.core.ask('presets').entries.map((one) => [one.name, one]));
    return this.known;
  }

  // ------------------------------------------------------------- state ---

  // A change that "back" undoes.
  change(words) {
    Object.assign(this.state, words, this.#resets(words));
    this.commit();
    this.show();
  }

  // One of many, as somebody types or drags.
  type(words) {
    Object.assign(this.state, words, this.#resets(words));
    this.#forget();
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.show());
  }

  // What spoke of another tensor, and what of it no field shows.
  #resets(words) {
    if (!['layout', 'to', 'shape', 'dtype'].some((name) => name in words)) return {};
    const drawn = {map: '', find: '', grid: '', cells: '', columns: '', walk: '', marks: '',
                   logical: this.state.logical === 'yes' ? 'yes' : ''};
    return {...drawn, ...('layout' in words ? {part: ''} : {}), ...words};
  }

  commit() {
    const address = addressOf(this.state);
    if (address !== location.hash) history.pushState(null, '', address);
  }

  // A change that "back" does not undo.
  replace(words) {
    Object.assign(this.state, words);
    history.replaceState(null, '', addressOf(this.state));
  }

  // ------------------------------------------------------------- fields ---

  #fields() {
    this.layoutFields = {};
    for (const name of ['layout', 'to']) {
      this.layoutFields[name] = new LayoutField(
          byId(name), byId(`${name}-list`), byId(`${name}-error`), {
            complete: (text, cursor) => this.#complete(text, cursor),
            typed: (text) => this.type({[name]: text}),
            done: () => this.commit(),
          });
    }
    for (const name of ['shape', 'dtype', 'tables', 'colour']) {
      byId(name).addEventListener('input', () => this.type({[name]: byId(name).value}));
      byId(name).addEventListener('change', () => this.commit());
    }
    for (const [id, name] of [['label', 'label'], ['drawn', 'view'], ['part', 'part']]) {
      byId(id).addEventListener('change', () => this.change({[name]: byId(id).value}));
    }
    byId('logical').addEventListener('change', () => this.change(
        {logical: byId('logical').checked ? 'yes' : ''}));
    byId('moves').addEventListener('change', () => this.replace(
        {moves: byId('moves').checked ? 'yes' : ''}));
    byId('types').append(...types.map((type) => {
      const option = element('option');
      option.value = type;
      return option;
    }));
    this.sliders = new Sliders(byId('extents'), (name, extent) => {
      const shape = shapeOf(this.#extents().map(
          ([dim, old]) => [dim, dim === name ? extent : old]));
      this.type({shape});
      clearTimeout(this.committing);
      this.committing = setTimeout(() => this.commit(), 400);
    });
    byId('tensor').addEventListener('submit', (event) => event.preventDefault());
  }

  // The core counts bytes, a field counts what its text is made of.
  #complete(text, cursor) {
    const bytes = new TextEncoder().encode(text);
    const size = new TextEncoder().encode(text.slice(0, cursor)).length;
    const told = this.core.ask('complete', {text, cursor: size, shape: this.state.shape});
    const unitsOf = (count) => new TextDecoder().decode(bytes.slice(0, count)).length;
    return {...told, from: unitsOf(told.from), to: unitsOf(told.to)};
  }

  // Of the text, or of what was understood last.
  #extents() {
    return extentsOf(this.state.shape) ?? this.understood ?? [];
  }

  #buttons() {
    byId('copy-link').addEventListener('click', () => copy(location.href));
    byId('save-svg').addEventListener('click', () => this.view.saveSvg());
    byId('save-png').addEventListener('click', () => this.view.savePng());
    byId('map-in').addEventListener('click', () => this.map.zoom(-1));
    byId('map-out').addEventListener('click', () => this.map.zoom(1));
    byId('map-all').addEventListener('click', () => this.change({map: ''}));
    byId('find-go').addEventListener('click', () => this.#find());
    byId('find').addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#find();
    });
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', async (event) => {
      event.preventDefault();
      // A browser forgets them at the first pause.
      const files = [...event.dataTransfer.files];
      for (const file of files) await this.files.take(null, file);
      if (files.length > 0) byId('tab-files').click();
    });
    addEventListener('resize', () => this.map.told && this.map.draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener(
        'change', () => this.map.told && this.map.draw());
  }

  #keys() {
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') return this.view.clear();
      if (event.target.matches('input, select, textarea, [role=tab], canvas')) return undefined;
      const act = {
        '/': () => byId('find').focus(), n: () => this.view.step(1),
        b: () => this.view.step(-1), p: () => this.view.play(),
        '+': () => this.view.magnify(1.25), '-': () => this.view.magnify(0.8),
        '0': () => this.view.fit(),
      }[event.key];
      if (this.view.picture?.press(event)) event.preventDefault();
      else if (act) {
        act();
        event.preventDefault();
      }
      return undefined;
    });
  }

  #find() {
    const find = byId('find').value;
    this.replace({find});
    this.view.find(find);
  }

  // A dump's file tells more than what stands in the fields.
  #fileTells(told) {
    if (!told) return this.show();
    const words = {label: 'value'};
    // A layout that takes as many bytes is what somebody meant.
    const fits = String(this.facts?.layouts[0].size_bytes) === String(told.bytes);
    if (told.dtype && !fits) words.dtype = told.dtype;
    if (told.shape && !fits) Object.assign(words, {layout: told.layout, shape: told.shape, to: ''});
    return this.change(words);
  }

  // -------------------------------------------------------------- show ---

  show() {
    const {state} = this;
    for (const [name, field] of Object.entries(this.layoutFields)) field.value = state[name];
    for (const [id, name] of [['shape', 'shape'], ['dtype', 'dtype'], ['tables', 'tables'],
                              ['colour', 'colour'], ['label', 'label'], ['drawn', 'view'],
                              ['find', 'find']]) {
      if (byId(id).value !== state[name]) byId(id).value = state[name];
    }
    byId('logical').checked = state.logical !== '';
    byId('moves').checked = state.moves === 'yes';
    this.#tensor();
    // The picture comes first.
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      this.#memory();
      this.panels.show();
    });
    document.title = `${state.layout || 'Stridewise'} · Stridewise explorer`;
  }

  // The picture and all that follows from the tensor; or what is wrong with it.
  #tensor() {
    this.#complain(null);
    this.#forget();
    this.facts = null;
    try {
      this.asking = 'needs';
      this.#needs();
      this.asking = 'facts';
      this.facts = this.core.ask('facts', tensorOf(this.state));
      this.#dims();
      const files = this.files.dump;
      this.asking = 'drawn';
      this.drawn = this.core.ask('draw', {...pictureOf(this.state), ...files});
      this.view.show(this.drawn, {bitOf: (index) => this.#bitOf(index),
                                  whatIs: (offset) => this.#whatIs(offset)});
      if (this.state.find) this.view.find(this.state.find);
    } catch (fault) {
      if (!(fault instanceof CoreError)) throw fault;
      this.#complain(fault);
    }
  }

  // Answers to what was asked of another tensor.
  #forget() {
    const tensor = JSON.stringify(tensorOf(this.state));
    if (tensor === this.answered) return;
    this.answered = tensor;
    byId('answer').replaceChildren();
    this.files.clear();
  }

  #bitOf(index) {
    try {
      return this.core.ask('at', {...tensorOf(this.state), to: '', index}).places[0].bit;
    } catch (fault) {
      if (fault instanceof CoreError) return undefined;
      throw fault;
    }
  }

  #whatIs(offset) {
    try {
      const bits = BigInt(this.view.picture.model.cell_bits);
      const [one] = this.core.ask('who', {...tensorOf(this.state), to: '',
                                          bit: offset * bits}).all;
      if (one.kind !== 'element') return `${one.kind}, `;
      return `${textOf(one.index)}, `;
    } catch (fault) {
      if (fault instanceof CoreError) return '';
      throw fault;
    }
  }

  // All of memory, where the picture has not all of it.
  #memory() {
    byId('map').hidden = this.fault !== null || (!this.drawn.elided && !this.state.map);
    if (byId('map').hidden) return;
    try {
      this.map.show(this.state.map);
    } catch (fault) {
      if (!(fault instanceof CoreError)) throw fault;
      byId('map').hidden = true;
    }
  }

  // Beside the field that it is about, with what was drawn before.
  #complain(fault) {
    this.fault = fault;
    byId('view').classList.toggle('stale', Boolean(fault));
    const about = fault ? this.#about(fault) : '';
    for (const name of ['layout', 'to', 'shape', 'dtype', 'tables']) {
      complainAt(byId(name), byId(`${name}-error`),
                 name === about ? fault.report.slice(0, longestReport) : null);
    }
    if (about === 'drawn') {
      byId('details').className = 'missing';
      byId('details').textContent = fault.message.slice(0, longestReport);
    }
    if (fault && !this.state.layout) {
      complainAt(byId('layout'), byId('layout-error'),
                 'Type a layout, such as nChw8c or n c/8 h w c%8, or choose one of the catalogue.');
    }
  }

  // The field that an error is about; "drawn": how the picture is drawn.
  #about(fault) {
    const {state} = this;
    if (fault.text) {
      const field = ['to', 'shape', 'dtype'].find((name) => state[name] === fault.text);
      if (field) return field;
    }
    if (this.asking === 'drawn') return 'drawn';
    if (this.asking === 'facts' && fault.message.includes('table')) return 'tables';
    if (this.asking === 'facts' && fault.message.includes('dtype')) return 'dtype';
    return state.layout && !state.shape ? 'shape' : 'layout';
  }

  // Fields that a layout asks for, whether its sizes are right or not.
  #needs() {
    const {tables, parts} = this.core.ask('needs', tensorOf(this.state));
    byId('tables-field').hidden = tables.length === 0;
    byId('part-field').hidden = parts.length === 0;
    byId('part').replaceChildren(...['', ...parts].map((name) => {
      const option = element('option', name || 'all');
      option.value = name;
      return option;
    }));
    byId('part').value = this.state.part;
  }

  // Fields that follow from the tensor.
  #dims() {
    this.understood = Object.entries(this.facts.extents)
        .map(([name, extent]) => [name, BigInt(extent)]);
    this.sliders.set(this.#extents());
    const dims = Object.entries(this.facts.layouts[0].dims);
    const lastOf = (extent) => (BigInt(extent) > 0n ? BigInt(extent) - 1n : 0n);
    const last = dims.map(([name, extent]) => `${name}=${lastOf(extent)}`);
    // A part's own dim, "k/32", has no name in an index.
    byId('at').placeholder = dims.some(([name]) => name.includes('/'))
        ? dims.map(([, extent]) => lastOf(extent)).join(',') : last.join(',');
    byId('find').placeholder = last.join(' ');
  }
}
