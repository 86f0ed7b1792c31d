// The panels beside the picture: what they show of the tensor, each when it is chosen.
import {showAbout, showCatalogue} from './about.js';
import {showAt, showPlan, showWho} from './answers.js';
import {pythonCommands, shellCommands} from './commands.js';
import {CoreError} from './core.js';
import {byId, copied, copy, element, report} from './elements.js';
import {tensorOf} from './state.js';

const tabs = ['about', 'catalogue', 'ask', 'plan', 'code', 'commands', 'files'];

export class Panels {
  // `app` has the state, what is known of the tensor, and the core.
  constructor(app) {
    this.app = app;
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
        app.replace({tab});
        this.show();
      });
    }
    byId('tabs').addEventListener('keydown', (event) => this.#press(event));
  }

  #press(event) {
    const now = tabs.indexOf(this.app.state.tab);
    const at = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: -1}[event.key];
    if (at === undefined) return;
    const next = tabs.at(at % tabs.length);
    byId(`tab-${next}`).click();
    byId(`tab-${next}`).focus();
    event.preventDefault();
  }

  show() {
    if (!tabs.includes(this.app.state.tab)) this.app.state.tab = 'about';
    for (const tab of tabs) {
      const chosen = tab === this.app.state.tab;
      byId(tab).hidden = !chosen;
      byId(`tab-${tab}`).setAttribute('aria-selected', String(chosen));
      byId(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
    }
    const show = {about: () => this.#about(), catalogue: () => this.#catalogue(),
                  plan: () => this.#plan(), code: () => this.#code(),
                  commands: () => this.#commands()}[this.app.state.tab];
    show?.();
  }

  #about() {
    if (!this.app.facts) {
      byId('about').replaceChildren(element('p', 'Nothing is known of this layout yet.'));
      return;
    }
    showAbout(byId('about'), this.app.facts, this.app.entries,
              (number, text) => this.app.change(number === 0 ? {layout: text} : {to: text}));
  }

  #catalogue() {
    showCatalogue(byId('entries'), this.app.entries, byId('filter').value, (entry) => {
      try {
        const {layout, shape, dtype, tables} = this.app.core.ask('presets', {name: entry.name});
        this.app.change({layout, shape, dtype: dtype === 'f32' ? '' : dtype, tables, to: '',
                     colour: '', label: 'index', view: 'auto', tab: 'about'});
      } catch (fault) {
        if (!(fault instanceof CoreError)) throw fault;
        this.app.change({layout: entry.name, tab: 'about'});
      }
    });
  }

  #answer(name, words, show) {
    try {
      show(byId('answer'), this.app.core.ask(name, {...tensorOf(this.app.state), ...words}));
    } catch (fault) {
      byId('answer').replaceChildren(report(fault));
    }
  }

  #plan() {
    if (!this.app.state.to) {
      byId('plan').replaceChildren(element('p', 'Type a second layout to see how the one ' +
                                                'becomes the other.'));
      return;
    }
    try {
      showPlan(byId('plan'), this.app.core.ask('plan', tensorOf(this.app.state)));
    } catch (fault) {
      byId('plan').replaceChildren(report(fault));
    }
  }

  #code() {
    let text;
    try {
      text = this.app.core.ask('code', {...tensorOf(this.app.state), to: '',
                                    language: byId('language').value}).code;
    } catch (fault) {
      text = fault.report ?? fault.message;
    }
    byId('code-text').textContent = text;
  }

  #commands() {
    const parts = this.app.facts?.layouts[0].parts;
    byId('commands').replaceChildren(
        element('h3', 'Command line'), copied(shellCommands(this.app.state, parts).join('\n')),
        element('h3', 'Python'), copied(pythonCommands(this.app.state, parts).join('\n')));
  }
}
