// A slider and a number for each dim of the shape.

const leastReach = 64;

export class Sliders {
  // `changed(name, extent)`: the number as text.
  constructor(fieldset, changed) {
    this.fieldset = fieldset;
    this.changed = changed;
    this.rows = new Map();
  }

  // [['n', 1n], ...]; null hides them.
  set(extents) {
    this.fieldset.hidden = !extents || extents.length === 0;
    if (this.fieldset.hidden) return;
    const names = extents.map(([name]) => name);
    if (names.join() !== [...this.rows.keys()].join()) this.#build(names);
    for (const [name, extent] of extents) {
      const {slider, number} = this.rows.get(name);
      const value = Number(extent);
      // One that is being dragged keeps its reach.
      if (document.activeElement !== slider) {
        slider.max = Math.max(leastReach, 2 * value);
      }
      slider.value = value;
      if (document.activeElement !== number) number.value = String(extent);
    }
  }

  #build(names) {
    this.rows.clear();
    const legend = this.fieldset.querySelector('legend');
    this.fieldset.replaceChildren(legend, ...names.map((name) => {
      const row = document.createElement('div');
      const label = document.createElement('label');
      const slider = document.createElement('input');
      const number = document.createElement('input');
      label.textContent = name;
      label.htmlFor = `extent-${name}`;
      Object.assign(slider, {type: 'range', min: 1, max: leastReach, id: label.htmlFor});
      Object.assign(number, {type: 'text', inputMode: 'numeric', size: 6});
      number.setAttribute('aria-label', `extent of ${name}`);
      slider.addEventListener('input', () => this.changed(name, slider.value));
      number.addEventListener('change', () => {
        if (/^\d+$/.test(number.value.trim())) this.changed(name, number.value.trim());
      });
      row.append(label, slider, number);
      this.rows.set(name, {slider, number});
      return row;
    }));
  }
}
