// The modules of the page that need no page.
import assert from 'node:assert/strict';
import test from 'node:test';

import {offsetOf, question} from '../../src/draw/page/places.js';
import {pythonCommands, shellCommands, shellWord} from '../page/commands.js';
import {widestStep, windowAt} from '../page/map.js';
import {addressOf, defaults, extentsOf, shapeOf, stateOf} from '../page/state.js';

test('an address is the state', () => {
  const states = [
    {layout: 'nChw8c', shape: 'n=1,c=17,h=2,w=3'},
    {layout: 'n c/8 h w c%8', shape: 'n=1,c=17', to: '((4,8),2):((32,1),16)', dtype: 'f16'},
    {layout: 'row=n h |128B| pixel=c/4 w | lane=c%4', shape: 'n=2', colour: 'c%4', tab: 'code'},
    {layout: '{ d:f16 = - ; q:u4 = k%16 }', shape: 'k=32', tables: 'T=1,0;U=0', find: 'a+b & #'},
    {layout: '<script>alert("x")</script>', shape: '', map: '5,8'},
    {layout: 'ünï 100%', shape: 'n=1', logical: 'n h | c w'},
  ];
  for (const one of states) {
    const state = {...defaults, ...one};
    const address = addressOf(state);
    assert.match(address, /^#[\w\-.=,:;@$/+%&]*$/, address);
    assert.deepEqual(stateOf(address), state);
  }
});

test('addresses that nobody wrote', () => {
  assert.deepEqual(stateOf(''), defaults);
  assert.equal(stateOf('#layout=%').layout, '%');
  assert.equal(stateOf('#__proto__=x&constructor=y&layout=a').layout, 'a');
  assert.equal({}.x, undefined);
  assert.equal(stateOf('#layout=a&shape=a=3').shape, 'a=3');
  assert.equal(stateOf('#nonsense').layout, defaults.layout);
  assert.equal(stateOf('#shape=a=3').layout, '');
});

test('extents', () => {
  assert.deepEqual(extentsOf('n=1, c=17'), [['n', 1n], ['c', 17n]]);
  assert.equal(extentsOf('1x17'), null);
  assert.equal(shapeOf([['n', 1n], ['c', '5']]), 'n=1,c=5');
});

test('words of a shell', () => {
  assert.equal(shellWord('nChw8c'), 'nChw8c');
  assert.equal(shellWord("a'b $(x)"), "'a'\\''b $(x)'");
});

test('commands of a hostile link are words', () => {
  const state = {...defaults, layout: '-x; touch y', label: 'index;touch x', view: '$(id)',
                 shape: "a='`", colour: '\n', tables: "T=__import__('os');U=1,0;V"};
  const shell = shellCommands(state).join('\n');
  for (const word of ["'index;touch x'", "'$(id)'", "'-x; touch y'", '--table U=1,0']) {
    assert.ok(shell.includes(word), word);
  }
  assert.ok(!shell.includes('import'));
  const python = pythonCommands(state).join('\n');
  assert.ok(!python.includes('import__') && python.includes("'\\x0a'"));
  assert.ok(python.includes("{'U': [1, 0]}"));
});

test('commands say all that the page shows', () => {
  const state = {...defaults, layout: 'n c/8 h w c%8', to: 'nhwc', colour: 'c%8', dtype: 'f16',
                 label: 'offset', view: 'rows', tables: 'T=1,0'};
  const shell = shellCommands(state).join('\n');
  for (const word of ["'n c/8 h w c%8'", '--to nhwc', '--color c%8', '--dtype f16',
                      '--label offset', '--view rows', '--table T=1,0', 'plan']) {
    assert.ok(shell.includes(word), word);
  }
  assert.match(pythonCommands(state).join('\n'), /tables=\{'T': \[1, 0\]\}/);
});

const model = {element_bytes: 4, cell_bits: 32,
               shape: [{name: 'c', extent: '17'}, {name: 'w', extent: '3'}]};
const main = {places: '72', base_offset: '0', axes: [{name: 'offset', extent: '72',
                                                      pitch_bytes: '4'}],
              terms: [{dim: 0, bias: '0', div: '8', mod: '0', flat_stride: '24'},
                      {dim: 1, bias: '0', div: '1', mod: '0', flat_stride: '8'},
                      {dim: 0, bias: '0', div: '1', mod: '8', flat_stride: '1'}]};

test('what is asked for', () => {
  assert.equal(question('  ', model, main), null);
  assert.deepEqual(question('c=16 w=2', model, main).index, [16n, 2n]);
  assert.deepEqual(question('16,2', model, main).name, 'c=16,w=2');
  assert.deepEqual(question('byte 64', model, main), {offset: 16n, note: ''});
  assert.deepEqual(question('byte 66', model, main), {offset: 16n, note: 'byte 2 of it'});
  assert.deepEqual(question('offset=5', model, main), {offset: 5n, note: ''});
  assert.match(question('byte 288', model, main).complaint, /72 places/);
  assert.match(question('c=17', model, main).complaint, /17 indices/);
  assert.match(question('x=1', model, main).complaint, /dims c, w/);
  assert.match(question('<b>', model, main).complaint, /not understood/);
  assert.equal(offsetOf(main, [16n, 2n]), 64n);
});

test('windows of a map stay within memory', () => {
  assert.equal(widestStep(100n, 1280), 1n);
  assert.equal(widestStep(10n ** 10n, 1280), 1n << 23n);
  for (const middle of [0n, 50n, 9999n, 10n ** 10n]) {
    const first = windowAt(middle, 8n, 100, 10000n);
    assert.ok(first >= 0n && first + 800n <= 10000n + 8n);
    assert.equal(first % 8n, 0n);
  }
  assert.equal(windowAt(5n, 8n, 100, 20n), 0n);
});
