// What follows from the layout, and what the catalogue says of it.
import {button, element, list, table} from './elements.js';

function bytesText(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = Number(bytes);
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return unit === 0 ? `${bytes} bytes` : `${bytes} bytes (${value.toPrecision(3)} ${units[unit]})`;
}

function strideText(bits) {
  const whole = BigInt(bits);
  return whole % 8n === 0n ? `${whole / 8n} B` : `${whole} bits`;
}

function entryOf(entry) {
  const parts = [element('h3', entry.name), element('p', `${entry.vendor}: ${entry.summary}.`)];
  parts.push(list([
    ['expression', element('code', entry.expression)],
    ['also called', entry.aliases.join(', ')],
    ['needs', entry.checks.join('; ')],
    ['source', entry.source],
  ]));
  if (entry.params.length > 0) {
    parts.push(table(['parameter', 'default', ''], entry.params.map(
        (param) => [param.name, param.default || 'required', param.doc])));
  }
  if (entry.errata.length > 0) {
    parts.push(element('h4', 'Where documents err'),
               element('ul', '', ...entry.errata.map((text) => element('li', text))));
  }
  return element('section', '', ...parts);
}

function layoutOf(layout, entry, use) {
  const several = layout.digits.some((digit) => digit.part);
  const digits = layout.digits.map((digit) => [
    ...(several ? [digit.part] : []), digit.axis, digit.digit, String(digit.extent),
    strideText(digit.stride_bits)]);
  const parts = [
    element('h3', layout.expression),
    list([
      ['not valid', layout.reason],
      ['memory', bytesText(layout.size_bytes)],
      ['elements', layout.elements],
      ['padding and gaps', layout.padding_elements === null ? null
                          : `${layout.padding_elements} elements`],
      ['element', `${layout.element_bits} bits`],
    ]),
    table([...(several ? ['part'] : []), 'axis', 'digit', 'extent', 'one step'], digits,
          'Digits, the slowest first'),
  ];
  if (entry) parts.push(entryOf(entry));
  const texts = (layout.dialects ?? []).filter((one) => one.text !== null);
  if (texts.length > 0) {
    const lines = texts.map((one) => element('li', '', element('b', one.dialect), ' ',
        element('code', one.text), ' ', button('Use', () => use(one.text))));
    parts.push(element('h4', 'As others write it'), element('ul', '', ...lines));
  }
  return element('section', '', ...parts);
}

// `entries`: the catalogue by name; `use(number, text)`: a text for the first or second layout.
export function showAbout(panel, facts, entries, use) {
  panel.replaceChildren(...facts.layouts.map((layout, number) => layoutOf(
      layout, layout.entry ? entries.get(layout.entry) : null,
      (text) => use(number, text))));
}

// The catalogue, or those entries that have the words.
export function showCatalogue(panel, entries, words, choose) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const vendors = new Map();
  for (const entry of entries.values()) {
    if (entry.dims.length === 0) continue;  // stands for many
    const text = [entry.name, entry.vendor, entry.summary, entry.source, ...entry.aliases]
        .join(' ').toLowerCase();
    if (!wanted.every((word) => text.includes(word))) continue;
    if (!vendors.has(entry.vendor)) vendors.set(entry.vendor, []);
    vendors.get(entry.vendor).push(entry);
  }
  const parts = [];
  for (const [vendor, all] of vendors) {
    parts.push(element('h3', vendor), element('ul', '', ...all.map((entry) => element(
        'li', '', button(entry.name, () => choose(entry)), ' ', entry.summary))));
  }
  if (parts.length === 0) parts.push(element('p', 'No layout has these words.'));
  panel.replaceChildren(...parts);
}
