// Moving from cell to cell, and the keys for all else.
function neighbour(cell, key) {
  const [column, row] = cell.at;
  const rows = cell.panel.rows;
  switch (key) {
    case 'ArrowRight': return rows[row][column + 1] ?? rows[row + 1]?.[0];
    case 'ArrowLeft': return rows[row][column - 1] ?? rows[row - 1]?.at(-1);
    case 'ArrowDown': return rows[row + 1]?.[Math.min(column, rows[row + 1].length - 1)];
    case 'ArrowUp': return rows[row - 1]?.[Math.min(column, rows[row - 1].length - 1)];
    case 'Home': return rows[0][0];
    case 'End': return rows.at(-1).at(-1);
    default: return undefined;
  }
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    stop();
    idle();
    return;
  }
  if (event.target === query) return;
  const cell = cellOf(event.target);
  const next = cell && neighbour(cell, event.key);
  const act = {'/': () => query.focus(), n: () => step(1), b: () => step(-1),
               p: play}[event.key];
  if (next) focus(next);
  else if (act) act();
  else if (!(cell && event.key.startsWith('Arrow'))) return;
  event.preventDefault();
});
