// The command line and the Python that show the same.

const plain = /^[A-Za-z0-9_.,:=/%+@][A-Za-z0-9_.,:=/%+@-]*$/;

export function shellWord(text) {
  return plain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// Entries of a table are numbers; what is none is left out.
function tablesOf(state) {
  return (state.tables || '').split(';').map((text) => text.match(/^([A-Za-z_]\w*)=(\d+(,\d+)*)$/))
      .filter(Boolean).map(([text, name, entries]) => ({text, name, entries: entries.split(',')}));
}

function tensorWords(state) {
  const words = ['--shape', shellWord(state.shape)];
  if (!state.shape) words.splice(0);
  if (state.dtype) words.push('--dtype', shellWord(state.dtype));
  if (state.part) words.push('--part', shellWord(state.part));
  for (const {text} of tablesOf(state)) words.push('--table', shellWord(text));
  return words;
}

// Each a line for a shell. `parts` of a memory of several: code is of one that is chosen.
export function shellCommands(state, parts = []) {
  const layout = shellWord(state.layout);
  const tensor = tensorWords(state);
  const line = (...words) => ['stridewise', ...words].join(' ');
  const draw = ['draw', layout, ...tensor];
  if (state.to) draw.push('--to', shellWord(state.to));
  if (state.label !== 'index') draw.push('--label', shellWord(state.label));
  if (state.colour) draw.push('--color', shellWord(state.colour));
  if (state.view !== 'auto') draw.push('--view', shellWord(state.view));
  if (state.logical === 'yes') draw.push('--with-logical');
  else if (state.logical) draw.push('--logical', shellWord(state.logical));
  for (const [option, word] of [['--grid', state.grid], ['--max-cells', state.cells],
                                ['--max-columns', state.columns], ['--walk', state.walk]]) {
    if (word) draw.push(option, shellWord(word));
  }
  for (const mark of (state.marks ?? '').split(',').filter(Boolean)) {
    draw.push('--mark', shellWord(mark));
  }
  const lines = [line(...draw, '--out', 'picture.svg'), line('show', layout, ...tensor)];
  if (parts.length === 0 || state.part) {
    lines.push(line('emit', layout, ...tensor, '--lang', 'c'));
  }
  if (state.to) lines.push(line('plan', layout, shellWord(state.to), ...tensor));
  return lines;
}

const pythonText = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replace(
    /[\x00-\x1f\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;

function pythonLayout(text, state) {
  const words = [text, state.shape, state.dtype].filter((word, k) => k === 0 || word)
      .map(pythonText);
  if (!state.shape && state.dtype) words[1] = `dtype=${words[1]}`;
  const tables = tablesOf(state).map(
      ({name, entries}) => `${pythonText(name)}: [${entries.join(', ')}]`);
  if (tables.length > 0) words.push(`tables={${tables.join(', ')}}`);
  const layout = `sw.layout(${words.join(', ')})`;
  return state.part ? `${layout}.part(${pythonText(state.part)})` : layout;
}

export function pythonCommands(state, parts = []) {
  const lines = ['import stridewise as sw', `L = ${pythonLayout(state.layout, state)}`];
  const options = [];
  if (state.colour) options.push(`color=${pythonText(state.colour)}`);
  if (state.label !== 'index') options.push(`label=${pythonText(state.label)}`);
  if (state.to) {
    lines.push(`M = ${pythonLayout(state.to, state)}`);
    options.push('to=M');
  }
  lines.push(`L.draw(${options.join(', ')}).save('picture.svg')`);
  if (parts.length === 0 || state.part) lines.push("print(L.emit('c'))");
  if (state.to) lines.push('print(sw.plan(L, M))');
  return lines;
}
