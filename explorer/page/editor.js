// A field for a layout: what may follow as one types, and errors with a caret.

const itemId = (list, k) => `${list.id}-${k}`;

export class LayoutField {
  // `complete(text, cursor)` gives {from, to, items}; `typed(text)` is called at each change,
  // `done()` when it is whole: at Enter, a choice or where the field is left.
  constructor(input, list, error, {complete, typed, done}) {
    Object.assign(this, {input, list, error, complete, typed, done});
    this.chosen = -1;
    this.items = [];
    input.addEventListener('input', () => {
      this.typed(input.value);
      this.open();
    });
    input.addEventListener('keydown', (event) => this.#press(event));
    input.addEventListener('change', () => this.done());
    input.addEventListener('blur', () => this.close());
    // Before the field is left.
    list.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      const item = event.target.closest('li');
      if (item) this.#take(Number(item.dataset.number));
    });
  }

  set value(text) {
    // What stands there keeps its cursor.
    if (this.input.value !== text) this.input.value = text;
  }

  open() {
    const {from, to, items} = this.complete(this.input.value, this.input.selectionStart);
    this.range = [from, to];
    this.items = items.filter((item) => item.text !== this.input.value.slice(from, to));
    this.chosen = -1;
    this.list.replaceChildren(...this.items.map((item, k) => {
      const line = document.createElement('li');
      line.id = itemId(this.list, k);
      line.dataset.number = k;
      line.setAttribute('role', 'option');
      line.setAttribute('aria-selected', 'false');
      const text = document.createElement('code');
      text.textContent = item.text;
      const note = document.createElement('span');
      note.textContent = item.note;
      line.append(text, ' ', note);
      return line;
    }));
    this.#shown(this.items.length > 0);
  }

  close() {
    this.#shown(false);
  }

  #shown(is) {
    this.list.hidden = !is;
    this.input.setAttribute('aria-expanded', String(is));
    if (!is) this.input.removeAttribute('aria-activedescendant');
  }

  #choose(k) {
    this.chosen = (k + this.items.length) % this.items.length;
    for (const [number, line] of [...this.list.children].entries()) {
      line.setAttribute('aria-selected', String(number === this.chosen));
    }
    const line = this.list.children[this.chosen];
    line.scrollIntoView({block: 'nearest'});
    this.input.setAttribute('aria-activedescendant', line.id);
  }

  #take(k) {
    const {text} = this.items[k];
    const [from, to] = this.range;
    const {value} = this.input;
    this.input.value = value.slice(0, from) + text + value.slice(to);
    this.input.setSelectionRange(from + text.length, from + text.length);
    this.close();
    this.typed(this.input.value);
    this.done();
  }

  #press(event) {
    const open = !this.list.hidden;
    if (event.key === 'ArrowDown') {
      if (!open) this.open();
      if (this.items.length > 0) this.#choose(this.chosen + 1);
    } else if (event.key === 'ArrowUp' && open) {
      this.#choose(this.chosen - 1);
    } else if ((event.key === 'Enter' || event.key === 'Tab') && open && this.chosen >= 0) {
      this.#take(this.chosen);
    } else if (event.key === 'Enter') {
      this.close();
      this.done();
    } else if (event.key === 'Escape' && open) {
      this.close();
      event.stopPropagation();
    } else {
      return;
    }
    if (event.key !== 'Tab') event.preventDefault();
  }
}

// Says what is wrong below a field; null: nothing is.
export function complainAt(input, error, text) {
  input.setAttribute('aria-invalid', String(Boolean(text)));
  error.hidden = !text;
  error.textContent = text ?? '';
}
