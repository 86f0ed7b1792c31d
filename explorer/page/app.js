// The page: a state, which the address tells, and all that shows it.
import {showAbout, showCatalogue} from './about.js';
import {showAt, showPlan, showWho} from './answers.js';
import {pythonCommands, shellCommands} from './commands.js';
import {CoreError} from './core.js';
import {LayoutField, complainAt} from './editor.js';
import {byId, copied, copy, element} from './elements.js';
import {Files} from './files.js';
import {MemoryMap} from './map.js';
import {Sliders} from './sliders.js';
import {addressOf, extentsOf, pictureOf, shapeOf, stateOf, tensorOf} from './state.js';
import {View} from './view.js';

const types = ['f32', 'f16', 'bf16', 'f64', 's8', 'u8', 's16', 'u16', 's32', 'u32', 's64', 'u64',
               'f8_e4m3fn', 'f8_e5m2', 's4', 'u4', 'u2', 'u1', 'f4'];
const tabs = ['about', 'catalogue', 'ask', 'plan', 'code', 'commands', 'files'];

export class App {
  constructor(core) {
    this.core = core;
    this.state = stateOf(location.hash);
    this.view = new View();
    this.files = new Files(byId('files'), core, {
      words: () => tensorOf(this.state),
      changed: (told) => this.#fileTells(told),
      fits: (layout, shape) => this.change({layout, shape}),
    });
    this.map = new MemoryMap(byId('map-canvas'), byId('map-text'), {
      ask: (words) => core.ask('map', {...tensorOf(this.state), to: '',
                                       colour: this.state.colour, ...words}),
      moved: (map) => this.#replace({map}),
      chosen: (place, bits) => {
        this.view.find(`byte ${place * BigInt(bits) / 8n}`);
      },
    });
    this.#fields();
    this.#buttons();
    this.#keys();
    addEventListener('popstate', () => {
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
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.show());
  }

  // What spoke of another tensor.
  #resets(words) {
    const others = 'layout' in words || 'shape' in words;
    const drawn = {grid: '', cells: '', columns: '', walk: '', marks: ''};
    return {...(others ? {map: '', find: ''} : {}),
            ...('layout' in words ? {part: '', ...drawn, ...words} : {})};
  }

  commit() {
    const address = addressOf(this.state);
    if (address !== location.hash) history.pushState(null, '', address);
  }

  #replace(words) {
    Object.assign(this.state, words);
    history.replaceState(null, '', addressOf(this.state));
  }

  // ------------------------------------------------------------- fields ---

  #fields() {
    this.layoutFields = {};
    for (const name of ['layout', 'to']) {
      this.layoutFields[name] = new LayoutField(
          byId(name), byId(`${name}-list`), byId(`${name}-error`), {
            complete: (text, cursor) => this.core.ask('complete', {
              text, cursor: new TextEncoder().encode(text.slice(0, cursor)).length,
              shape: this.state.shape}),
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
    byId('types').append(...types.map((type) => {
      const option = element('option');
      option.value = type;
      return option;
    }));
    this.sliders = new Sliders(byId('extents'), (name, extent) => {
      const extents = extentsOf(this.state.shape) ?? [];
      const shape = shapeOf(extents.map(([dim, old]) => [dim, dim === name ? extent : old]));
      this.type({shape});
      clearTimeout(this.committing);
      this.committing = setTimeout(() => this.commit(), 400);
    });
    byId('tensor').addEventListener('submit', (event) => event.preventDefault());
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
    byId('filter').addEventListener('input', () => this.#catalogue());
    byId('language').addEventListener('change', () => this.#code());
    byId('copy-code').addEventListener('click', () => copy(byId('code-text').textContent));
    byId('ask-at').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#answer('at', {index: byId('at').value.trim()}, showAt);
    });
    byId('ask-who').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#answer('who', {byte: byId('who').value.trim(), to: ''}, showWho);
    });
    for (const tab of tabs) {
      byId(`tab-${tab}`).addEventListener('click', () => {
        this.#replace({tab});
        this.#tab();
      });
    }
    byId('tabs').addEventListener('keydown', (event) => this.#tabKey(event));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', async (event) => {
      event.preventDefault();
      for (const file of event.dataTransfer.files) await this.files.take(null, file);
      if (event.dataTransfer.files.length > 0) byId('tab-files').click();
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
        b: () => this.view.step(-1), p: () => this.view.walk.play(),
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

  #tabKey(event) {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!by) return;
    const next = tabs[(tabs.indexOf(this.state.tab) + by + tabs.length) % tabs.length];
    byId(`tab-${next}`).click();
    byId(`tab-${next}`).focus();
    event.preventDefault();
  }

  #find() {
    const find = byId('find').value;
    this.#replace({find});
    this.view.find(find);
  }

  // A dump's file tells more than what stands in the fields.
  #fileTells(told) {
    const words = {label: 'value'};
    if (told.dtype) words.dtype = told.dtype;
    if (told.shape) Object.assign(words, {layout: told.layout, shape: told.shape, to: ''});
    this.change(words);
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
    this.#tensor();
    // The picture comes first.
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      this.#memory();
      this.#tab();
    });
    document.title = `${state.layout || 'Stridewise'} · Stridewise explorer`;
  }

  // The picture and all that follows from the tensor; or what is wrong with it.
  #tensor() {
    this.#complain(null);
    try {
      this.facts = this.core.ask('facts', tensorOf(this.state));
      this.#dims();
      const files = this.files.dump;
      this.drawn = this.core.ask('draw', {...pictureOf(this.state), ...files});
      this.view.show(this.drawn);
      if (this.state.find) this.view.find(this.state.find);
    } catch (fault) {
      if (!(fault instanceof CoreError)) throw fault;
      this.#complain(fault);
    }
  }

  // All of memory, where the picture has not all of it.
  #memory() {
    byId('map').hidden = this.fault !== null || (!this.drawn.elided && !this.state.map);
    if (byId('map').hidden) return;
    try {
      this.map.show(this.state.map);
    } catch (fault) {
      byId('map').hidden = true;
    }
  }

  // Beside the field that it is about, with what was drawn before.
  #complain(fault) {
    this.fault = fault;
    byId('view').classList.toggle('stale', Boolean(fault));
    const {state} = this;
    const about = !fault ? '' : fault.text && fault.text === state.to ? 'to'
        : fault.text && fault.text === state.shape ? 'shape'
        : state.layout && !state.shape ? 'shape' : 'layout';
    for (const name of ['layout', 'to', 'shape']) {
      complainAt(byId(name), byId(`${name}-error`), name === about ? fault.report : null);
    }
    if (fault && !state.layout) {
      complainAt(byId('layout'), byId('layout-error'),
                 'Type a layout, such as nChw8c or n c/8 h w c%8, or choose one of the catalogue.');
    }
  }

  // Fields that depend on the layout.
  #dims() {
    this.sliders.set(extentsOf(this.state.shape) ?? Object.entries(this.facts.extents)
        .map(([name, extent]) => [name, BigInt(extent)]));
    if (!extentsOf(this.state.shape)) this.state.shape = this.facts.shape;
    byId('tables-field').hidden = this.facts.tables.length === 0;
    const {parts} = this.facts.layouts[0];
    byId('part-field').hidden = parts.length === 0;
    byId('part').replaceChildren(...['', ...parts].map((name) => {
      const option = element('option', name || 'all');
      option.value = name;
      return option;
    }));
    byId('part').value = this.state.part;
    const dims = Object.entries(this.facts.extents);
    const last = dims.map(([name, extent]) => `${name}=${BigInt(extent) - 1n}`);
    // A part's own dim, "k/32", has no name in an index.
    byId('at').placeholder = dims.some(([name]) => name.includes('/'))
        ? dims.map(([, extent]) => BigInt(extent) - 1n).join(',') : last.join(',');
    byId('find').placeholder = last.join(' ');
  }

  #tab() {
    if (!tabs.includes(this.state.tab)) this.state.tab = 'about';
    for (const tab of tabs) {
      const chosen = tab === this.state.tab;
      byId(tab).hidden = !chosen;
      byId(`tab-${tab}`).setAttribute('aria-selected', String(chosen));
      byId(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
    }
    const show = {about: () => this.#about(), catalogue: () => this.#catalogue(),
                  plan: () => this.#plan(), code: () => this.#code(),
                  commands: () => this.#commands()}[this.state.tab];
    show?.();
  }

  #about() {
    if (!this.facts) return;
    showAbout(byId('about'), this.facts, this.entries,
              (number, text) => this.change(number === 0 ? {layout: text} : {to: text}));
  }

  #catalogue() {
    showCatalogue(byId('entries'), this.entries, byId('filter').value, (entry) => {
      try {
        const {layout, shape, dtype, tables} = this.core.ask('presets', {name: entry.name});
        this.change({layout, shape, dtype: dtype === 'f32' ? '' : dtype, tables, to: '',
                     colour: '', label: 'index', view: 'auto', tab: 'about'});
      } catch (fault) {
        this.change({layout: entry.name, tab: 'about'});
      }
    });
  }

  #answer(name, words, show) {
    try {
      show(byId('answer'), this.core.ask(name, {...tensorOf(this.state), ...words}));
    } catch (fault) {
      byId('answer').replaceChildren(element('pre', fault.report ?? fault.message));
    }
  }

  #plan() {
    if (!this.state.to) {
      byId('plan').replaceChildren(element('p', 'Type a second layout to see how the one ' +
                                                'becomes the other.'));
      return;
    }
    try {
      showPlan(byId('plan'), this.core.ask('plan', tensorOf(this.state)));
    } catch (fault) {
      byId('plan').replaceChildren(element('pre', fault.report ?? fault.message));
    }
  }

  #code() {
    let text;
    try {
      text = this.core.ask('code', {...tensorOf(this.state), to: '',
                                    language: byId('language').value}).code;
    } catch (fault) {
      text = fault.report ?? fault.message;
    }
    byId('code-text').textContent = text;
  }

  #commands() {
    const parts = this.facts?.layouts[0].parts;
    byId('commands').replaceChildren(
        element('h3', 'Command line'), copied(shellCommands(this.state, parts).join('\n')),
        element('h3', 'Python'), copied(pythonCommands(this.state, parts).join('\n')));
  }
}
