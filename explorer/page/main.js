// Unpacks the core from the page, and starts.
import {App} from './app.js';
import {Core} from './core.js';
import {byId} from './elements.js';

// What the page takes, for who looks after it.
const told = document.documentElement.dataset;

async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  told.packed = String(packed.length);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

async function start() {
  const began = performance.now();
  const core = await Core.load(await unpacked(byId('wasm').textContent));
  byId('wasm').remove();
  window.stridewise = new App(core);
  told.memory = String(core.exports.memory.buffer.byteLength);
  told.ready = String(Math.round(performance.now() - began));
}

start().catch((fault) => {
  byId('details').textContent = `The page could not start: ${fault.message}. It needs a browser ` +
      'with WebAssembly SIMD and DecompressionStream, which all have since 2023.';
  told.failed = 'yes';
});
