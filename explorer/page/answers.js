// Where an element is, what is at a byte, and how a conversion is done.
import {element, list} from './elements.js';
import {textOf} from './state.js';

function bitsText(place) {
  if (place.bits) return `bits ${place.bits.join(', ')}`;
  const rest = place.element_bits % 8 || place.bit_in_byte;
  return rest ? `byte ${place.byte}, from bit ${place.bit_in_byte} on, ${place.element_bits} bits`
              : `byte ${place.byte}`;
}

export function showAt(panel, told) {
  panel.replaceChildren(...told.places.map((place) => element(
      'section', '', element('h3', place.expression), list([
        ['element', textOf(told.index)],
        ['place', bitsText(place)],
        ['element offset', place.element_offset],
        ['coordinates', textOf(place.coords)],
        ['part', place.part],
      ]))));
}

export function showWho(panel, told) {
  panel.replaceChildren(...told.all.map((one) => list([
    ['bits', `${one.bit} to ${BigInt(one.bit) + BigInt(one.bits) - 1n}`],
    ['holds', one.kind === 'element' ? textOf(one.index) || 'the one element' : one.kind],
    ['of it', one.kind === 'element' && one.bits < one.element_bits
        ? `bits ${one.first_bit} to ${one.first_bit + one.bits - 1}` : null],
    ['copy', Number(one.copy) > 0 ? one.copy : null],
    ['part', one.part],
    ['coordinates', textOf(one.coords)],
    ['note', one.more ? 'other elements share this place' : null],
  ])));
}

export function showPlan(panel, told) {
  const words = element('pre', told.text);
  words.tabIndex = 0;
  panel.replaceChildren(
      element('p', 'Loops are from the outermost in, strides in bytes; the last line of a nest ' +
                   'is the kernel that walks the rest. The page has the portable kernels: ' +
                   'processors with wider vectors have others.'),
      words);
}
