// Elements of the page, made of plain text: nothing that a name holds becomes markup.

export const byId = (id) => document.getElementById(id);

export function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

// Rows of a table: the first has the heads of columns.
export function table(heads, rows, caption = '') {
  const body = rows.map((row) => element('tr', '', ...row.map((cell) => element('td', cell))));
  const head = element('tr', '', ...heads.map((text) => {
    const cell = element('th', text);
    cell.scope = 'col';
    return cell;
  }));
  const made = element('table', '', element('thead', '', head), element('tbody', '', ...body));
  if (caption) made.prepend(element('caption', caption));
  return made;
}

// Names and values.
export function list(pairs) {
  const made = element('dl');
  for (const [name, value] of pairs) {
    if (value === null || value === undefined || value === '') continue;
    made.append(element('dt', name), value instanceof Node ? element('dd', '', value)
                                                           : element('dd', String(value)));
  }
  return made;
}

export function button(text, press) {
  const made = element('button', text);
  made.type = 'button';
  made.addEventListener('click', press);
  return made;
}

// What is wrong, with a caret where the library tells a place.
export function report(fault) {
  return element('pre', fault.report ?? fault.message);
}

// A text to be copied, with its button.
export function copied(text) {
  const code = element('pre', text);
  code.tabIndex = 0;
  return element('div', '', code, button('Copy', () => copy(text)));
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages of files may not use the clipboard in all browsers.
    const field = element('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
  notice('Copied.');
}

let hiding = 0;

export function notice(text) {
  const line = byId('notice');
  line.textContent = text;
  line.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { line.hidden = true; }, 4000);
}

export function download(name, parts, type) {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob(parts, {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
