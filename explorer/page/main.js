// Unpacks the core from the page, and starts.
import {App} from './app.js';
import {Core} from './core.js';
import {byId} from './elements.js';

// What the page takes, for who looks after it.
const told = document.documentElement.dataset;

function bytesOf(base64) {
  // A browser's own is quicker; not all have it yet.
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < bytes.length; ++k) bytes[k] = text.charCodeAt(k);
  return bytes;
}

async function unpacked(text) {
  const packed = bytesOf(text);
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
