// The numbers of vendors and of layouts that people use, through the core.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import test from 'node:test';

import {core, data, shapeText} from './support.mjs';

const types = {fp32: 'f32', fp16: 'f16', int8: 's8', int16: 's16'};

function at(layout, shape, index, dtype) {
  const told = core.ask('at', {layout, shape, index, dtype: types[dtype] ?? dtype ?? 'f32'});
  return told.places[0];
}

// Of a tag, in the vendor's logical order.
function tagDims(tag) {
  const letters = tag.replace(/[^A-Za-z]/g, '').toLowerCase();
  const order = ['ncdhw', 'goidhw', 'abcdef'].find(
      (one) => [...letters].every((letter) => one.includes(letter)));
  return [...order].filter((letter) => letters.includes(letter));
}

test('oneDNN: offsets and sizes of tags', () => {
  let seen = 0;
  for (const vector of data('vectors.json').filter((one) => one.system === 'onednn')) {
    if (vector.shape === null || vector.layout.startsWith('misc/')) continue;
    const shape = shapeText(tagDims(vector.layout), vector.shape);
    if (vector.index) {
      const place = at(vector.layout, shape, vector.index.join(','), vector.dtype);
      assert.equal(place.element_offset, vector.expect.offset_elements, vector.id);
    } else {
      const {layouts: [facts]} = core.ask('facts', {layout: vector.layout, shape,
                                                    dtype: vector.dtype});
      assert.equal(facts.size_bytes, vector.expect.size_bytes, vector.id);
      assert.equal(facts.padding_elements, vector.expect.zero_padding_elements, vector.id);
    }
    ++seen;
  }
  assert.ok(seen > 50, `${seen} vectors`);
});

test('MACE: pixels and lanes of images', () => {
  const names = {'channel-major': 'mace.channel', 'height-major': 'mace.height',
                 'width-major': 'mace.width'};
  let seen = 0;
  for (const vector of data('vectors.json').filter((one) => one.system === 'mace')) {
    if (!names[vector.layout] || !vector.index) continue;
    const dims = ['n', 'h', 'w', 'c'];
    const place = at(names[vector.layout], shapeText(dims, vector.shape),
                     shapeText(dims, vector.index));
    assert.deepEqual([place.coords.pixel, place.coords.row], vector.expect.pixel, vector.id);
    assert.equal(place.coords.lane, vector.expect.lane, vector.id);
    ++seen;
  }
  assert.ok(seen > 10, `${seen} vectors`);
});

test('OKK: NPUs and offsets', () => {
  let seen = 0;
  for (const vector of data('vectors.json').filter((one) => one.system === 'okk')) {
    if (!['aligned', 'compact'].includes(vector.layout) || !vector.index) continue;
    const {X, S, addr} = vector.params;
    const place = at(`okk.${vector.layout}(npus=${X},npu_bytes=${S},addr=${addr})`,
                     shapeText(['n', 'c', 'h', 'w'], vector.shape), vector.index.join(','));
    assert.equal(place.coords.npu, vector.expect.npu, vector.id);
    assert.equal(place.byte % S, vector.expect.offset, vector.id);
    ++seen;
  }
  assert.ok(seen >= 5, `${seen} vectors`);
});

// Each part of a layout, with the words that tell it.
function* parts() {
  for (const entry of data('world.json')) {
    for (const part of entry.parts) {
      const shape = Object.entries(entry.shape).map((pair) => pair.join('=')).join(',');
      const tables = Object.entries(entry.tables ?? {})
          .map(([name, entries]) => `${name}=${entries.join(',')}`).join(';');
      yield [entry, part, {layout: entry.expression, shape, tables, part: part.part,
                           dtype: `u${entry.parts[0].element_bits}`}];
    }
  }
}

// A part's own dim, "k/32", has no name in an index.
function indexText(dims, index) {
  const numbers = index.slice(0, dims.length);
  return dims.some((dim) => dim.includes('/')) ? numbers.join(',') : shapeText(dims, numbers);
}

test('the world: samples of every layout, and sizes', () => {
  let seen = 0;
  for (const [entry, part, words] of parts()) {
    const facts = core.ask('facts', words).layouts[0];
    assert.equal(Math.ceil(part.memory_bits / 8), facts.size_bytes, entry.name);
    for (const sample of part.samples) {
      // Where bits lie apart, the last number is that of a bit.
      const dims = part.dims.filter((dim) => dim !== '#');
      const index = indexText(dims, sample.index);
      const [place] = core.ask('at', {...words, index}).places;
      const bit = sample.index[dims.length] ?? 0;
      assert.equal(place.bits ? place.bits[bit] : place.bit + bit, sample.bit, `${entry.name} ${part.part} ${index}`);
      ++seen;
    }
  }
  assert.ok(seen > 900, `${seen} samples`);
});

function* indices(extents) {
  const index = extents.map(() => 0);
  if (extents.includes(0)) return;
  for (;;) {
    yield index;
    let d = extents.length - 1;
    while (d >= 0 && ++index[d] === extents[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

test('the world: every element of layouts that are not large', () => {
  const most = 1500;
  let seen = 0;
  for (const [entry, part, words] of parts()) {
    const elements = part.extents.reduce((product, extent) => product * extent, 1);
    if (elements > most || part.offsets_are_of !== 'elements (their lowest bit)') continue;
    const hash = createHash('sha256');
    for (const index of indices(part.extents)) {
      const told = core.ask('at', {...words, index: indexText(part.dims, index)});
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(told.places[0].bit));
      hash.update(bytes);
    }
    assert.equal(hash.digest('hex'), part.sha256_of_int64_offsets,
                 `${entry.name} ${part.part}`);
    ++seen;
  }
  assert.ok(seen > 50, `${seen} parts`);
});
