// The core, as the page has it, in node.
import fs from 'node:fs';

import {Core} from '../page/core.js';

const wasm = process.env.STRIDEWISE_WASM;
if (!wasm) throw new Error('STRIDEWISE_WASM names no file');

export const core = await Core.load(fs.readFileSync(wasm));

export function data(name) {
  return JSON.parse(fs.readFileSync(new URL(`../../tests/data/${name}`, import.meta.url)));
}

export function shapeText(dims, extents) {
  return dims.map((dim, d) => `${dim}=${extents[d]}`).join(',');
}

// "error" of the core instead of its answer.
export function fault(name, words) {
  try {
    core.ask(name, words);
  } catch (error) {
    return error;
  }
  throw new Error(`${name} has an answer`);
}
