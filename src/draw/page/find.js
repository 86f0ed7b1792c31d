// Finds elements and places by what is typed.
// The offset of an index, as the layout's digits say.
function offsetOf(layout, index) {
  let offset = BigInt(layout.base_offset);
  for (const term of layout.terms) {
    let value = (index[term.dim] + BigInt(term.bias)) / BigInt(term.div);
    if (term.mod !== '0') value %= BigInt(term.mod);
    offset += value * BigInt(term.flat_stride);
  }
  return offset;
}

function find(text) {
  const words = text.trim().split(/[\s,;]+/).filter(Boolean);
  const main = memories[0];
  if (words.length === 0) return idle();
  const number = text.trim().match(
      /^(byte|offset|element|b|e|o)?\s*[=:]?\s*(0x[0-9a-f]+|\d+)$/i);
  if (number && number[1]) {
    const asked = BigInt(number[2]);
    const bytes = number[1].toLowerCase().startsWith('b');
    const offset = bytes ? asked * 8n / BigInt(model.cell_bits) : asked;
    if (offset >= BigInt(main.layout.places)) {
      return complain(`${text}: beyond the tensor's ${main.layout.places} places.`);
    }
    return place(main, offset, text);
  }
  const given = new Map();
  const ordered = words.every((word) => /^\d+$/.test(word));
  for (const [k, word] of words.entries()) {
    const pair = word.match(/^([A-Za-z_]\w*)=(\d+)$/);
    if (!pair && !(ordered && words.length === model.shape.length)) {
      return complain(`${word}: not understood; try "${query.placeholder}", ` +
                      '"byte 64" or "offset 16".');
    }
    given.set(pair ? pair[1] : model.shape[k].name, BigInt(pair ? pair[2] : word));
  }
  const axes = main.layout.axes;
  if ([...given.keys()].every((name) => axes.some((axis) => axis.name === name)) &&
      ![...given.keys()].every((name) => model.shape.some((dim) => dim.name === name))) {
    let bytes = 0n;
    for (const axis of axes) {
      const at = given.get(axis.name) ?? 0n;
      if (at >= BigInt(axis.extent)) {
        return complain(`${axis.name}=${at}: the axis has ${axis.extent} steps.`);
      }
      bytes += at * BigInt(axis.pitch_bytes);
    }
    return place(main, bytes / BigInt(model.element_bytes), text);
  }
  const index = [];
  for (const name of given.keys()) {
    if (!model.shape.some((dim) => dim.name === name)) {
      return complain(`${name}: the tensor has dims ` +
                      `${model.shape.map((dim) => dim.name).join(', ')}.`);
    }
  }
  for (const dim of model.shape) {
    const at = given.get(dim.name) ?? 0n;
    if (at >= BigInt(dim.extent)) {
      return complain(`${dim.name}=${at}: ${dim.name} has ${dim.extent} indices.`);
    }
    index.push(at);
  }
  const name = model.shape.map((dim, d) => `${dim.name}=${index[d]}`).join(',');
  for (const panel of memories) {
    if (panel.byIndex.has(name)) return reveal(panel.byIndex.get(name));
  }
  if (!main.layout.plain) {
    return complain(`${name} is none of the cells drawn.`);
  }
  const offset = offsetOf(main.layout, index);
  return complain(`${name} lies at offset ${offset}, byte ` +
                  `${offset * BigInt(model.element_bytes)}: in a part that is left out.`);
}

function place(panel, offset, text) {
  const cell = panel.byOffset.get(offset);
  if (cell) return reveal(cell);
  return complain(`${text}: in a part that is left out.`);
}

function reveal(cell) {
  stop();
  focus(cell);
  show(cell);
}

document.getElementById('search').addEventListener('submit', (event) => {
  event.preventDefault();
  find(query.value);
});
