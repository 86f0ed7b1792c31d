// The library, as WebAssembly: questions in, answers out. explorer/core has its side.

// An error of the library: `report` shows the text with a caret.
export class CoreError extends Error {
  constructor({message, text, position, report}) {
    super(message);
    Object.assign(this, {text, position, report});
  }
}

const noSuchFile = 8;  // of WASI: the core has no files, no environment and nothing to print

function system(memory) {
  const zero = (...places) => {
    const view = new DataView(memory().buffer);
    for (const place of places) view.setUint32(place, 0, true);
    return 0;
  };
  const refuse = () => noSuchFile;
  return {
    environ_get: () => 0, environ_sizes_get: zero, fd_close: refuse, fd_fdstat_get: refuse,
    fd_fdstat_set_flags: refuse, fd_prestat_get: refuse, fd_prestat_dir_name: refuse,
    fd_read: refuse, fd_seek: refuse, fd_write: refuse, path_open: refuse,
    proc_exit: () => { throw new WebAssembly.RuntimeError('the core has ended'); },
  };
}

export class Core {
  // Called when the core has begun anew: files that it had are gone.
  restarted = () => {};

  // `wasm`: the bytes of the module.
  static async load(wasm) {
    const core = new Core();
    core.module = await WebAssembly.compile(wasm);
    core.#start(await WebAssembly.instantiate(core.module, core.#imports()));
    return core;
  }

  #imports() {
    return {wasi_snapshot_preview1: system(() => this.exports.memory)};
  }

  #start(instance) {
    this.exports = instance.exports;
    this.exports._initialize();
  }

  // The core's memory is full, or it met a fault: it begins anew, without files.
  #restart() {
    this.#start(new WebAssembly.Instance(this.module, this.#imports()));
  }

  #put(bytes) {
    const place = this.exports.stridewise_allocate(Math.max(bytes.length, 1)) >>> 0;
    if (place === 0) throw new CoreError({message: 'there is no memory for that'});
    new Uint8Array(this.exports.memory.buffer).set(bytes, place);
    return place;
  }

  // The bytes at a place that an answer tells.
  bytesAt(place, size) {
    return new Uint8Array(this.exports.memory.buffer, place, size).slice();
  }

  // Words that are empty are not asked. Throws CoreError.
  ask(name, words = {}) {
    const text = Object.entries({ask: name, ...words})
        .filter(([, word]) => word !== undefined && word !== null && word !== '')
        .map(([key, word]) => `${key}\0${String(word).replaceAll('\0', ' ')}\0`).join('');
    let answer;
    try {
      const bytes = new TextEncoder().encode(text);
      const place = this.#put(bytes);
      // Places beyond 2 GiB are negative to JavaScript.
      const begin = this.exports.stridewise_ask(place, bytes.length) >>> 0;
      const size = this.exports.stridewise_answer_bytes() >>> 0;
      this.exports.stridewise_release(place);
      answer = new TextDecoder().decode(
          new Uint8Array(this.exports.memory.buffer, begin, size));
    } catch (fault) {
      if (fault instanceof CoreError) throw fault;
      this.#restart();
      this.restarted();
      throw new CoreError({message: 'that is too large for the page: use the command line'});
    }
    const told = JSON.parse(answer);
    if (told.error) throw new CoreError(told.error);
    return told;
  }

  // Gives the bytes of a file to the core: {file, tensors}. `replaces`: the number of one that
  // is no longer wanted.
  open(name, bytes, replaces) {
    return this.ask('open', {name, place: this.#put(bytes), size: bytes.length, replaces});
  }
}
