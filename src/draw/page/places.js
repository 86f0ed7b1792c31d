// Arithmetic over what a picture tells of its layouts: places, indices, what is asked for.

// The offset of an index, as the layout's digits say.
export function offsetOf(layout, index) {
  let offset = BigInt(layout.base_offset);
  for (const term of layout.terms) {
    let value = (index[term.dim] + BigInt(term.bias)) / BigInt(term.div);
    if (term.mod !== '0') value %= BigInt(term.mod);
    offset += value * BigInt(term.flat_stride);
  }
  return offset;
}

// "npu=1,offset=28": of an element offset.
export function coordinatesOf(layout, elementBytes, offset) {
  let bytes = offset * BigInt(elementBytes);
  return layout.axes.map((axis) => {
    const at = bytes / BigInt(axis.pitch_bytes);
    bytes %= BigInt(axis.pitch_bytes);
    return `${axis.name}=${at}`;
  }).join(',');
}

function placeAsked(text, model, main) {
  const number = text.match(/^(byte|offset|element|b|e|o)\s*[=:]?\s*(0x[0-9a-f]+|\d+)$/i);
  if (!number) return null;
  const asked = BigInt(number[2]);
  const bytes = number[1].toLowerCase().startsWith('b');
  const cell = BigInt(model.cell_bits);
  const offset = bytes ? asked * 8n / cell : asked;
  const rest = bytes ? asked * 8n % cell / 8n : 0n;
  if (offset < BigInt(main.places)) return {offset, note: rest ? `byte ${rest} of it` : ''};
  return {complaint: `${text}: beyond the tensor's ${main.places} places.`};
}

function coordinatesAsked(given, model, main) {
  let bytes = 0n;
  for (const axis of main.axes) {
    const at = given.get(axis.name) ?? 0n;
    if (at >= BigInt(axis.extent)) {
      return {complaint: `${axis.name}=${at}: the axis has ${axis.extent} steps.`};
    }
    bytes += at * BigInt(axis.pitch_bytes);
  }
  return {offset: bytes / BigInt(model.element_bytes)};
}

function indexAsked(given, model) {
  const has = (name) => model.shape.some((dim) => dim.name === name);
  for (const name of given.keys()) {
    if (has(name)) continue;
    const dims = model.shape.map((dim) => dim.name).join(', ');
    return {complaint: `${name}: the tensor has dims ${dims}.`};
  }
  const index = [];
  for (const dim of model.shape) {
    const at = given.get(dim.name) ?? 0n;
    if (at >= BigInt(dim.extent)) {
      return {complaint: `${dim.name}=${at}: ${dim.name} has ${dim.extent} indices.`};
    }
    index.push(at);
  }
  return {index, name: model.shape.map((dim, d) => `${dim.name}=${index[d]}`).join(',')};
}

// What a text asks for: {index, name}, {offset, note} of the first memory, {complaint}, or null
// of an empty text. `main` is the layout of that memory.
export function question(text, model, main) {
  const words = text.trim().split(/[\s,;]+/).filter(Boolean);
  if (words.length === 0) return null;
  const place = placeAsked(text.trim(), model, main);
  if (place) return place;
  const ordered = words.every((word) => /^\d+$/.test(word)) &&
      words.length === model.shape.length;
  const given = new Map();
  for (const [k, word] of words.entries()) {
    const pair = word.match(/^([A-Za-z_]\w*)=(\d+)$/);
    if (!pair && !ordered) {
      const last = model.shape.map((dim) => `${dim.name}=${BigInt(dim.extent) - 1n}`);
      return {complaint: `${word}: not understood; try "${last.join(' ')}", "byte 64" or ` +
                         '"offset 16".'};
    }
    given.set(pair ? pair[1] : model.shape[k].name, BigInt(pair ? pair[2] : word));
  }
  const names = [...given.keys()];
  const ofAxes = names.every((name) => main.axes.some((axis) => axis.name === name));
  const ofDims = names.every((name) => model.shape.some((dim) => dim.name === name));
  return ofAxes && !ofDims ? coordinatesAsked(given, model, main)
                           : indexAsked(given, model);
}
