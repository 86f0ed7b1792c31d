// Walks through memory order.
const order = memories[0].cells.filter((cell) => cell.kind === 'element')
    .sort((a, b) => (a.offset < b.offset ? -1 : 1));
let position = -1;
let timer = 0;

// Digits from the innermost: which of them steps decides what jump it is.
const digits = [...memories[0].layout.terms]
    .filter((term) => term.extent !== '1')
    .sort((a, b) => (BigInt(a.flat_stride) < BigInt(b.flat_stride) ? -1 : 1));

// Where digits interleave, memory order follows none of them.
let reach = 0n;
const nested = digits.every((term) => {
  const clear = BigInt(term.flat_stride) > reach;
  reach += (BigInt(term.extent) - 1n) * BigInt(term.flat_stride);
  return clear;
});

function values(cell) {
  const index = cell.index.split(',').map((part) => BigInt(part.split('=')[1]));
  return digits.map((term) => {
    const value = (index[term.dim] + BigInt(term.bias)) / BigInt(term.div);
    return term.mod === '0' ? value : value % BigInt(term.mod);
  });
}

function jump(from, to) {
  if (!nested) return '';
  const a = values(from);
  const b = values(to);
  for (let level = digits.length - 1; level >= 0; --level) {
    if (a[level] !== b[level]) {
      if (b[level] - a[level] > 1n) return 'over what is left out';
      return `jump [${model.walk || 'a'}:${level}] ${digits[level].name}`;
    }
  }
  return '';
}

// The last steps as a line through the cells, in every panel that has them.
function trace() {
  for (const path of document.querySelectorAll('.overlay .path')) path.remove();
  for (const panel of panels) {
    const points = [];
    for (const cell of order.slice(Math.max(0, position - 40), position + 1)) {
      const own = panel.byIndex.get(cell.index);
      if (own) points.push(`${own.x + own.width / 2},${own.y + own.height / 2}`);
    }
    const line = document.createElementNS(SVG, 'polyline');
    line.setAttribute('class', 'path');
    line.setAttribute('points', points.join(' '));
    panel.overlay.append(line);
  }
}

function step(by) {
  const next = position + by;
  if (next < 0 || next >= order.length) return stop();
  const from = order[position];
  position = next;
  const cell = order[position];
  const note = by > 0 && from ? jump(from, cell) : '';
  show(cell, note);
  trace();
  cell.node.scrollIntoView({block: 'nearest', inline: 'nearest'});
}

function stop() {
  clearInterval(timer);
  timer = 0;
  document.getElementById('play').textContent = 'Walk';
}

function play() {
  if (timer) return stop();
  if (position + 1 >= order.length) position = -1;
  document.getElementById('play').textContent = 'Stop';
  step(1);
  timer = setInterval(() => step(1), 350);
}

document.getElementById('step').addEventListener('click', () => { stop(); step(1); });
document.getElementById('back').addEventListener('click', () => { stop(); step(-1); });
document.getElementById('play').addEventListener('click', play);
document.getElementById('stop').addEventListener('click', () => {
  stop();
  position = -1;
  idle();
});

idle();
document.documentElement.dataset.ready = 'yes';
