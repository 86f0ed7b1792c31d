// The command line and the Python that show the same.

const plain = /^[A-Za-z0-9_.,:=/%+@-]+$/;

export function shellWord(text) {
  return plain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function tensorWords(state) {
  const words = ['--shape', shellWord(state.shape)];
  if (!state.shape) words.splice(0);
  if (state.dtype) words.push('--dtype', shellWord(state.dtype));
  if (state.part) words.push('--part', shellWord(state.part));
  for (const table of (state.tables || '').split(';').filter(Boolean)) {
    words.push('--table', shellWord(table));
  }
  return words;
}

// Each a line for a shell. `parts` of a memory of several: code is of one that is chosen.
export function shellCommands(state, parts = []) {
  const layout = shellWord(state.layout);
  const tensor = tensorWords(state);
  const line = (...words) => ['stridewise', ...words].join(' ');
  const draw = ['draw', layout, ...tensor];
  if (state.to) draw.push('--to', shellWord(state.to));
  if (state.label !== 'index') draw.push('--label', state.label);
  if (state.colour) draw.push('--color', shellWord(state.colour));
  if (state.view !== 'auto') draw.push('--view', state.view);
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

const pythonText = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function pythonLayout(text, state) {
  const words = [text, state.shape, state.dtype].filter((word, k) => k === 0 || word)
      .map(pythonText);
  if (!state.shape && state.dtype) words[1] = `dtype=${words[1]}`;
  for (const table of (state.tables || '').split(';').filter(Boolean)) {
    const [name, entries] = table.split('=');
    if (!words.tables) words.tables = [];
    words.tables.push(`${pythonText(name)}: [${entries.split(',').join(', ')}]`);
  }
  if (words.tables) words.push(`tables={${words.tables.join(', ')}}`);
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
