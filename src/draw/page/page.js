// The page of one picture.
import {Picture} from './picture.js';
import {Walk} from './walk.js';

const byId = (id) => document.getElementById(id);
const query = byId('query');
const picture = new Picture(byId('picture'), JSON.parse(byId('model').textContent),
                            byId('details'));
const walk = new Walk(picture, () => {
  byId('play').textContent = walk.playing ? 'Stop' : 'Walk';
});

byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  walk.stop();
  picture.find(query.value);
});
byId('step').addEventListener('click', () => { walk.stop(); walk.step(1); });
byId('back').addEventListener('click', () => { walk.stop(); walk.step(-1); });
byId('play').addEventListener('click', () => walk.play());
byId('stop').addEventListener('click', () => walk.end());

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    walk.stop();
    picture.idle();
    return;
  }
  if (event.target === query) return;
  const act = {'/': () => query.focus(), n: () => walk.step(1), b: () => walk.step(-1),
               p: () => walk.play()}[event.key];
  if (picture.press(event)) event.preventDefault();
  else if (act) {
    act();
    event.preventDefault();
  }
});

picture.idle();
document.documentElement.dataset.ready = 'yes';
