// Files that are dropped onto the page: a dump, and a reference to compare it with.
import {button, download, element, list, notice, report} from './elements.js';
import {textOf} from './state.js';

const mostBytes = 1 << 29;
const roles = [['file', 'Dump'], ['reference', 'Reference']];

export class Files {
  // `core` answers; `words()` tells the tensor; `changed(told)` is called when there is another
  // dump, with what its file tells, or null without one; `fits(expression, shape, dtype)` where
  // a layout was found.
  constructor(panel, core, {words, changed, fits}) {
    Object.assign(this, {panel, core, words, changed, fits});
    this.opened = {};
    this.turns = {file: 0, reference: 0};
    this.results = element('div');
    this.results.setAttribute('role', 'status');
    this.build();
  }

  // The words for questions of the dump.
  get dump() {
    const {file} = this.opened;
    return file ? {file: file.number, 'file-tensor': file.tensor} : {};
  }

  get both() {
    const {reference} = this.opened;
    return reference ? {...this.dump, reference: reference.number,
                        'reference-tensor': reference.tensor} : this.dump;
  }

  build() {
    const parts = [element('p', 'Drop a .npy, .safetensors, .gguf or raw file anywhere on the ' +
                                'page: the first is the dump, the second the reference. ' +
                                'Nothing leaves this machine.')];
    for (const [role, title] of roles) parts.push(this.#role(role, title));
    const act = [];
    if (this.opened.file) {
      act.push(button('Values', () => this.#values()),
               button('Check padding', () => this.#ask('check', this.dump, showCheck)));
    }
    if (this.opened.file && this.opened.reference) {
      act.push(button('Compare', () => this.#ask('compare', this.both, showCompare)),
               button('Which layout?', () => this.#ask('infer', this.both,
                                                       (told) => this.#fits(told))));
    }
    parts.push(element('p', '', ...act.flatMap((one) => [one, ' '])), this.results);
    this.panel.replaceChildren(...parts);
  }

  #role(role, title) {
    const input = element('input');
    input.type = 'file';
    input.id = `file-${role}`;
    input.addEventListener('change', () => {
      if (input.files.length > 0) this.take(role, input.files[0]);
    });
    const label = element('label', title);
    label.htmlFor = input.id;
    const row = element('p', '', label, ' ', input);
    const opened = this.opened[role];
    if (opened) {
      row.append(' ', element('b', opened.name), ' ', this.#tensors(role, opened), ' ',
                 button('Close', () => this.close(role)));
    }
    return row;
  }

  #tensors(role, opened) {
    const text = (tensor) => [[tensor.name, tensor.type, tensor.shape.join('x')]
        .filter(Boolean).join(' '), `${tensor.bytes} bytes`].filter(Boolean).join(', ');
    if (opened.tensors.length < 2) return element('span', text(opened.tensors[0]));
    const select = element('select', '', ...opened.tensors.map((tensor, number) => {
      const option = element('option', text(tensor));
      option.value = number;
      return option;
    }));
    select.setAttribute('aria-label', `tensor of ${opened.name}`);
    select.value = opened.tensor;
    select.addEventListener('change', () => {
      opened.tensor = Number(select.value);
      this.results.replaceChildren();
      if (role === 'file') this.changed(this.#told(opened));
    });
    return select;
  }

  // A file for a role; without one, for the first that has none. Of several at once the one
  // that was chosen last stays.
  async take(role, file) {
    const to = role ?? (this.opened.file && !this.opened.reference ? 'reference' : 'file');
    if (file.size > mostBytes) {
      notice(`${file.name}: the page takes files of up to 512 MiB; use the command line.`);
      return;
    }
    const turn = ++this.turns[to];
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (turn !== this.turns[to]) return;
      const {file: number, tensors} = this.core.open(file.name, bytes, this.opened[to]?.number);
      this.opened[to] = {name: file.name, number, tensors, tensor: 0};
      this.build();
      if (tensors.length === 0) {
        this.close(to);
        throw new Error(`${file.name} holds no tensor`);
      }
      if (to === 'file') this.changed(this.#told(this.opened.file));
    } catch (fault) {
      notice(fault.message);
      this.results.replaceChildren(element('p', fault.message));
    }
  }

  #told({tensors, tensor}) {
    return {...tensors[tensor].told, bytes: tensors[tensor].bytes};
  }

  close(role) {
    this.core.ask('close', {file: this.opened[role].number});
    delete this.opened[role];
    this.build();
    this.changed(null);
  }

  // The core has begun anew, without files.
  forget() {
    this.opened = {};
    this.build();
  }

  // Of another tensor than is shown now.
  clear() {
    this.results.replaceChildren();
  }

  #ask(name, files, show) {
    this.results.replaceChildren();
    try {
      this.results.append(show(this.core.ask(name, {...this.words(), ...files})));
    } catch (fault) {
      this.results.append(report(fault));
    }
  }

  #values() {
    this.#ask('values', this.dump, (told) => {
      const name = this.opened.file.name.replace(/\.[^.]*$/, '');
      const array = this.core.bytesAt(told.place, told.size);
      return element(
          'section', '', list([
            ['least', told.statistics.least], ['most', told.statistics.most],
            ['mean', told.statistics.mean], ['zeros', told.statistics.zeros],
            ['NaN', told.statistics.nan],
            ['first, in logical order', told.values.join(' ')]]),
          button('Save as .npy, in logical order', () => download(
              `${name}.decoded.npy`, [array], 'application/octet-stream')));
    });
  }

  #fits(told) {
    const lines = told.fits.map((fit) => element(
        'li', '', element('code', fit.expression), ' ', fit.names.join(', '), ' ',
        button('Use', () => this.fits(fit.names[0] ?? fit.expression, told.shape, told.dtype))));
    const said = told.reason || told.outcome;
    const near = told.best ? [element('p', '', 'Nearest: ', element('code', told.best.expression),
                                      told.first_break ? `, but for ${told.first_break}` : '')] : [];
    return element('section', '', element('p', `${said} (the reference is ${told.shape})`),
                   element('ul', '', ...lines), ...near);
  }
}

function showCheck(told) {
  const findings = told.findings.map((text) => element('li', text));
  const unit = told.in_bits ? 'bits' : 'places';
  const leakText = ({byte, count, indices, holds}) =>
      `byte ${byte}: ${count} ${count === 1 ? unit.slice(0, -1) : unit}` +
      `${indices && `, ${indices}`}${holds && `; ${holds}`}`;
  return element(
      'section', '',
      element('p', told.padding_nonzero === 0
          ? `All ${told.padding} ${unit} of padding are zero.`
          : `${told.padding_nonzero} of ${told.padding} ${unit} of padding are not zero.`),
      element('ul', '', ...findings),
      element('ul', '', ...told.leaks.map((leak) => element('li', leakText(leak)))));
}

function showCompare(told) {
  const place = (one) => one && `${textOf(one.index)}: ${one.a} and ${one.b}, bytes ` +
                                `${one.byte_a} and ${one.byte_b}`;
  return element(
      'section', '',
      element('p', told.differences === 0 ? `All ${told.elements} elements are equal.`
          : `${told.differences} of ${told.elements} elements differ.`),
      element('ul', '', ...told.findings.map((text) => element('li', text))),
      list([['first', place(told.first)], ['worst', place(told.worst)]]));
}
