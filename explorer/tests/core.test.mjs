// What the core answers, and what it refuses.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';

import {addressOf, pictureOf, stateOf} from '../page/state.js';
import {core, fault} from './support.mjs';

const tensor = {layout: 'nChw8c', shape: 'n=1,c=17,h=2,w=3'};

test('every entry of the catalogue has a tensor that shows it', () => {
  const {entries} = core.ask('presets');
  assert.ok(entries.length > 200);
  for (const entry of entries) {
    if (entry.dims.length === 0) continue;
    const example = core.ask('presets', {name: entry.name});
    assert.equal(core.ask('facts', example).layouts[0].reason, null, entry.name);
    assert.match(core.ask('draw', example).svg, /^<svg/, entry.name);
  }
});

test('errors have a caret where the fault is', () => {
  const error = fault('facts', {layout: 'n c/ h', shape: 'n=1,c=2,h=3'});
  assert.equal(error.text, 'n c/ h');
  assert.ok(error.position >= 3);
  assert.match(error.report, /\n\s*\^/);
  assert.match(fault('facts', {layout: 'okk.alined', shape: '1x2x3x4'}).message,
               /did you mean 'okk.aligned'/);
});

test('completion of names, parameters, dims and digits', () => {
  const texts = (words) => core.ask('complete', words).items.map((item) => item.text);
  assert.deepEqual(texts({text: 'okk.alig'}), ['okk.aligned']);
  assert.ok(texts({text: 'okk.aligned(np'}).includes('npus='));
  const digits = texts({text: 'n c', cursor: 3, shape: tensor.shape});
  assert.ok(digits.includes('c/8') && digits.includes('c%8'));
  const inside = core.ask('complete', {text: 'n c/8 h', cursor: 3, shape: tensor.shape});
  assert.deepEqual([inside.from, inside.to], [2, 3]);
});

test('sizes beyond what JavaScript counts are texts', () => {
  const shape = 'a=1152921504606846976';
  const {layouts: [facts]} = core.ask('facts', {layout: 'a', shape, dtype: 'u1'});
  assert.equal(facts.elements, '1152921504606846976');
  const {places: [place]} = core.ask('at', {layout: 'a', shape, dtype: 'u1',
                                            index: '1152921504606846975'});
  assert.equal(place.bit, '1152921504606846975');
});

test('a map of 10^10 elements', () => {
  const words = {layout: 'nChw16c', shape: 'n=64,c=1000,h=500,w=400'};
  const all = core.ask('map', {...words, step: 1 << 23, cells: 1536});
  assert.equal(BigInt(all.places), 64n * 1008n * 500n * 400n);
  assert.ok(all.kinds.length > 1500);
  const near = core.ask('map', {...words, first: '12902399984', step: 1, cells: 16});
  assert.equal(near.kinds.slice(8), '........');
  assert.equal(near.names[0], 'n=63,c=992,h=499,w=399');
});

test('plans and code', () => {
  assert.match(core.ask('plan', {...tensor, to: 'nchw'}).text, /transpose|copy/);
  assert.match(fault('plan', tensor).message, /second layout/);
  for (const [language, word] of [['c', 'static'], ['opencl', 'static'], ['cuda', '__device__']]) {
    assert.ok(core.ask('code', {...tensor, language}).code.includes(word), language);
  }
});

test('what is at a byte', () => {
  const {all: [one]} = core.ask('who', {...tensor, byte: 4});
  assert.deepEqual(one.index, {n: 0, c: 1, h: 0, w: 0});
  assert.equal(core.ask('who', {...tensor, byte: 575}).all[0].kind, 'padding');
  assert.match(fault('who', {...tensor, byte: 576}).message, /outside/);
  const nibbles = core.ask('who', {layout: 'gguf.q4_0', shape: 'n=1,k=32', byte: 2});
  assert.equal(nibbles.all.length, 2);
});

// A .npy file of format 1.0.
function npy(dtype, shape, bytes, fortran = 'False') {
  const text = `{'descr': '${dtype}', 'fortran_order': ${fortran}, ` +
               `'shape': (${shape.join(', ')},), }`;
  const header = text.padEnd(117) + '\n';
  const start = Uint8Array.from([0x93, ...Buffer.from('NUMPY'), 1, 0, 118, 0]);
  return new Uint8Array(Buffer.concat([start, Buffer.from(header), Buffer.from(bytes)]));
}

test('files: values, padding, comparison and inference', () => {
  const elements = 17 * 6;
  const reference = Float32Array.from({length: elements}, (_, k) => k + 1);
  const dump = new Float32Array(24 * 6);
  for (let c = 0; c < 17; ++c) {
    for (let p = 0; p < 6; ++p) dump[(Math.floor(c / 8) * 6 + p) * 8 + c % 8] = reference[c * 6 + p];
  }
  dump[12 * 8 + 5] = 7;  // padding of the last block
  const {file} = core.open('dump.npy', npy('<f4', [144], new Uint8Array(dump.buffer)));
  const other = core.open('reference.npy', npy('<f4', [1, 17, 2, 3],
                                               new Uint8Array(reference.buffer)));
  assert.equal(other.tensors[0].told.shape, 'n=1,c=17,h=2,w=3');
  const words = {...tensor, file, reference: other.file};
  const values = core.ask('values', words);
  assert.deepEqual(values.values.slice(0, 3), ['1', '2', '3']);
  assert.equal(values.statistics.most, String(elements));
  const array = core.bytesAt(values.place, values.size);
  assert.deepEqual([...new Float32Array(array.slice(array.length - 4 * elements).buffer)],
                   [...reference]);
  assert.equal(core.ask('check', words).padding_nonzero, 1);
  assert.equal(core.ask('compare', words).differences, 0);
  dump[12 * 8 + 5] = 0;
  const clean = core.open('clean.bin', new Uint8Array(dump.buffer));
  const found = core.ask('infer', {...words, file: clean.file, dtype: 'f32'});
  assert.equal(found.fits[0].expression, 'n c/8 h w c%8');
  assert.match(core.ask('draw', {...words, label: 'value'}).svg, /nonzero|not zero/);
});

test('arrays in other orders', () => {
  const numbers = Float32Array.from([1, 4, 2, 5, 3, 6]);
  const {file, tensors: [{told}]} = core.open(
      'f.npy', npy('<f4', [2, 3], new Uint8Array(numbers.buffer), 'True'));
  assert.equal(told.layout, 'd1 d0');
  const words = {...told, file, dtype: 'f32'};
  assert.deepEqual(core.ask('values', words).values, ['1', '2', '3', '4', '5', '6']);
  const big = new Uint8Array(24);
  [1, 2, 3, 4, 5, 6].forEach((x, k) => new DataView(big.buffer).setFloat32(4 * k, x));
  const other = core.open('b.npy', npy('>f4', [2, 3], big));
  const both = {...words, reference: other.file};
  assert.equal(core.ask('compare', both).differences, 0);
  const found = core.ask('infer', both);
  assert.equal(found.fits[0].expression, 'd1 d0');
  const complex = new Uint8Array(8);
  [1, 2].forEach((x, k) => new DataView(complex.buffer).setFloat32(4 * k, x));
  const c64 = core.open('c.npy', npy('>c8', [1], complex));
  assert.deepEqual(core.ask('values', {...c64.tensors[0].told, file: c64.file}).values, ['1+2j']);
});

test('elements of less than a byte, and of other types than the layout', () => {
  const {file} = core.open('q.bin', Uint8Array.from([0xf1, 0x82]));
  const words = {layout: 'a', shape: 'a=4', dtype: 's4', file};
  const told = core.ask('values', words);
  assert.deepEqual(told.values, ['1', '-1', '2', '-8']);
  assert.equal(told.statistics.least, '-8');
  const array = core.bytesAt(told.place, told.size);
  assert.deepEqual([...new Int8Array(array.slice(-4).buffer)], [1, -1, 2, -8]);
  const wide = core.open('d.npy', npy('<f8', [2], new Uint8Array(16)));
  assert.match(fault('values', {layout: 'a', shape: 'a=4', file: wide.file}).message, /64 bits/);
  assert.match(fault('values', {layout: 'a', shape: 'a=4', dtype: 'f32', file}).message,
               /takes 16 bytes, the file has 2/);
  const exact = core.open('i.npy', npy('<i8', [1],
                                       new Uint8Array(BigInt64Array.of(9007199254740993n).buffer)));
  assert.equal(core.ask('values', {...exact.tensors[0].told, file: exact.file}).statistics.most,
               '9007199254740993');
});

test('a picture without the file that is of another tensor', () => {
  const {file} = core.open('small.bin', new Uint8Array(8));
  const told = core.ask('draw', {...tensor, file});
  assert.match(told.svg, /^<svg/);
  assert.match(told.note, /takes 576 bytes, the file has 8/);
  core.ask('close', {file});
  assert.match(fault('values', {...tensor, file}).message, /no such file/);
});

test('two layouts of two tensors are refused', () => {
  const words = {layout: 'gemm.xnnpack-f32', shape: 'n=8,k=64', part: 'bias', to: 'n k'};
  assert.match(fault('at', {...words, index: '0'}).message, /two tensors/);
});

test('what layouts need is told before sizes are right', () => {
  assert.deepEqual(core.ask('needs', {layout: 'g<T> x%4'}).tables, ['T']);
  assert.deepEqual(core.ask('needs', {layout: 'gguf.q4_0', shape: 'n=x'}).parts, ['d', 'q']);
});

test('files that lie are refused', () => {
  for (const [name, bytes] of [['x.npy', 'not an array'], ['x.safetensors', '\x10\0\0\0\0\0\0\0{'],
                               ['x.gguf', 'GGUF'],
                               ['y.npy', npy('<f4', [1 << 30], new Uint8Array(16))]]) {
    const error = fault('open', {name, place: place(bytes), size: bytes.length});
    assert.match(error.message, new RegExp(name.replace('.', '\\.')));
  }
  assert.match(fault('values', {...tensor, file: 99}).message, /no such file/);
});

function place(bytes) {
  const all = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  const at = core.exports.stridewise_allocate(all.length);
  new Uint8Array(core.exports.memory.buffer).set(all, at);
  return at;
}

test('links of the documents show what they say', () => {
  const docs = new URL('../../docs/', import.meta.url);
  const pages = [new URL('../README.md', docs), ...fs.readdirSync(docs, {recursive: true})
      .filter((name) => name.endsWith('.md')).map((name) => new URL(name, docs))];
  let seen = 0;
  for (const page of pages) {
    const text = fs.readFileSync(page, 'utf8');
    for (const [, address] of text.matchAll(/explorer\.html(#[^)\s]*)\)/g)) {
      const state = stateOf(address);
      assert.equal(addressOf(state), address, String(page));
      assert.match(core.ask('draw', pictureOf(state)).svg, /^<svg/, address);
      ++seen;
    }
  }
  assert.ok(seen > 80, `${seen} links`);
});

test('what is too large ends the question, not the page', () => {
  let restarts = 0;
  core.restarted = () => ++restarts;
  const {file} = core.open('x.bin', new Uint8Array(16));
  core.exports = {...core.exports, stridewise_ask() {
    throw new WebAssembly.RuntimeError('unreachable');
  }};
  assert.match(fault('facts', tensor).message, /too large/);
  assert.equal(restarts, 1);
  // No file of before is taken for one of now.
  assert.match(fault('values', {layout: 'a', shape: 'a=4', dtype: 'f32', file}).message,
               /no such file/);
  const deep = `${'('.repeat(5000)}a${')'.repeat(5000)}`;
  assert.ok(fault('facts', {layout: deep, shape: 'a=4'}).message);
  assert.equal(core.ask('facts', tensor).layouts[0].elements, 102);
});
