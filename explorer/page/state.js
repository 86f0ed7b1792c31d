// What the page shows, as the words after '#' in its address.

// In the order in which an address has them. What is as here is left out.
export const defaults = {
  layout: 'nChw8c', shape: 'n=1,c=17,h=2,w=3', dtype: '', to: '', part: '', tables: '',
  label: 'index', colour: '', view: 'auto', logical: '', grid: '', cells: '', columns: '',
  walk: '', marks: '', moves: '', tab: 'about', find: '', map: '',
};

const readable = /%(2C|2F|3A|3D|3B|40|24)/g;

function written(word) {
  return encodeURIComponent(word)
      // Round brackets end links of documents.
      .replace(/[()'!*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(readable, decodeURIComponent)
      .replaceAll('%20', '+');
}

function read(word) {
  try {
    return decodeURIComponent(word.replaceAll('+', '%20'));
  } catch {
    return word;
  }
}

// "#layout=nChw8c&shape=n=1,c=17".
export function addressOf(state) {
  const words = [];
  for (const [name, usual] of Object.entries(defaults)) {
    const word = state[name] ?? usual;
    if (word === usual && name !== 'layout' && name !== 'shape') continue;
    words.push(`${name}=${written(word)}`);
  }
  return `#${words.join('&')}`;
}

export function stateOf(address) {
  const state = {...defaults};
  const words = address.replace(/^#/, '').split('&').filter(Boolean);
  // The usual tensor is that of an address that tells none.
  if (words.some((word) => /^(layout|shape)=/.test(word))) {
    Object.assign(state, {layout: '', shape: ''});
  }
  for (const pair of words) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    if (equals > 0 && Object.hasOwn(defaults, name)) state[name] = read(pair.slice(equals + 1));
  }
  return state;
}

// The words that tell the tensor.
export function tensorOf(state) {
  const {layout, to, shape, dtype, part, tables} = state;
  return {layout, to, shape, dtype, part, tables};
}

// The words that tell the picture.
export function pictureOf(state) {
  const {label, colour, view, logical, grid, walk, marks} = state;
  return {...tensorOf(state), label, colour, view, logical, grid, walk, marks,
          'max-cells': state.cells, 'max-columns': state.columns};
}

// ------------------------------------------------------------ extents ---

// [['n', 1n], ['c', 17n]] of "n=1,c=17"; null of what names no dims.
export function extentsOf(shape) {
  const pairs = shape.split(',').map((part) => part.trim().match(/^([A-Za-z_]\w*)=(\d+)$/));
  return pairs.every(Boolean) ? pairs.map(([, name, extent]) => [name, BigInt(extent)]) : null;
}

export function shapeOf(extents) {
  return extents.map((pair) => pair.join('=')).join(',');
}

// "n=1,c=16" of {n: 1, c: 16}.
export function textOf(index) {
  return shapeOf(Object.entries(index));
}
