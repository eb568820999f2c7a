// Shared by all pages with a board. The picture defines the shapes drawn here; adjacent lines of
// the board are 20 units apart.
const data = JSON.parse(document.getElementById('data').textContent);
const width = data.size[0], height = data.size[1];
const board = document.getElementById('board');
const drawn = document.getElementById('p-drawn');
const byId = id => document.getElementById(id);
// By state of a point or by player: 0 none, 1 Black, 2 White.
const names = ['', 'Black', 'White'];
const shapes = ['', 'black', 'white'];
const fills = ['', '#000', '#fff'];

function vertex(point) {
	if (point < 0) return 'pass';
	return 'ABCDEFGHJKLMNOPQRSTUVWXYZ'[point % width] + (height - Math.floor(point / width));
}

// Apply changes to stones. A change is three times a point plus its new state.
function changed(stones, changes) {
	const now = stones.slice();
	for (const change of changes) now[Math.floor(change / 3)] = change % 3;
	return now;
}

function boards(start, steps) {
	const all = [Uint8Array.from(start)];
	for (const step of steps) all.push(changed(all[all.length - 1], step[2]));
	return all;
}

function element(parent, name, attributes, text) {
	const made = document.createElementNS(board.namespaceURI, name);
	for (const key in attributes) made.setAttribute(key, attributes[key]);
	if (text !== undefined) made.textContent = text;
	parent.append(made);
	return made;
}

function shape(parent, name, point, opacity) {
	const at = { href: '#p-' + name, x: 20 * (point % width), y: 20 * Math.floor(point / width) };
	if (opacity) at.opacity = opacity;
	element(parent, 'use', at);
}

function label(parent, text, point, fill) {
	const size = String(text).length > 2 ? 8 : 10;
	element(parent, 'text', { x: 20 * (point % width), y: 20 * Math.floor(point / width), dy: '.36em', 'font-size': size, fill }, text);
}

// Draw a position: `stones` by point; `last`, the point of the last move; `numbers`, the
// numbers on a variation's stones; `marks`, names of shapes and their points; `shares`, the
// ownership by point; `links`, clickable moves with the name of their shape, a text and its
// colour.
function draw(position) {
	const { stones, last = -1, numbers = new Map(), marks = [], shares = [], links = [] } = position;
	drawn.replaceChildren();
	const dead = marked(marks, 'dead');
	stones.forEach((stone, point) => {
		if (!stone) return;
		shape(drawn, shapes[stone], point, dead.has(point) ? 0.6 : 0);
		if (numbers.has(point)) label(drawn, numbers.get(point), point, fills[3 - stone]);
		else if (point === last) shape(drawn, shapes[stone] + '-last', point);
	});
	shares.forEach((share, point) => {
		const owner = share > 0 ? 1 : 2, side = 14 * Math.abs(share);
		if (side < 1 || stones[point] === owner || numbers.has(point)) return;
		element(drawn, 'rect', { class: 'p-share', x: 20 * (point % width) - side / 2, y: 20 * Math.floor(point / width) - side / 2, width: side, height: side, fill: fills[owner], 'fill-opacity': 0.7 });
	});
	for (const [name, point] of marks) shape(drawn, name, point);
	links.forEach(({ point, text, href, title, name, fill }) => {
		const link = element(drawn, 'a', { href, 'aria-label': title });
		element(link, 'title', {}, title);
		shape(link, name, point);
		label(link, text, point, fill);
	});
}

// The points with marks of a kind, `dead` or `seki`, proved or likely.
const marked = (marks, kind) => new Set(marks.filter(([name]) => name.endsWith(kind)).map(([, point]) => point));

// Describe the board for screen readers.
function describe(title, stones, marks = []) {
	const dead = marked(marks, 'dead'), seki = marked(marks, 'seki');
	const kinds = [
		['Black', point => stones[point] === 1],
		['White', point => stones[point] === 2],
		['Dead', point => stones[point] && dead.has(point)],
		['In seki', point => stones[point] && seki.has(point)],
	];
	const lists = kinds.map(([kind, is]) => [kind, Array.from(stones.keys()).filter(is).map(vertex)]);
	const texts = lists.filter(([, points]) => points.length).map(([kind, points]) => `${kind}: ${points.join(' ')}.`);
	board.querySelector('title').textContent = title;
	board.querySelector('desc').textContent = texts.join(' ') || 'No stones.';
}

// Number the first `count` stones of a sequence that are still in `stones`.
function numbered(steps, count, stones) {
	const numbers = new Map();
	steps.slice(0, count).forEach(([player, point], i) => {
		if (point >= 0 && stones[point] === player) numbers.set(point, i + 1);
	});
	return numbers;
}

// Parse the page's state from the fragment of its address, `#move=57&line=2`.
function fragment() {
	const numbers = {};
	for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
		if (/^\d{1,6}$/.test(value)) numbers[key] = Number(value);
	}
	return numbers;
}

// The point under a click or a tap, or −1.
function pointUnder(event) {
	const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
	const column = Math.round(x / 20), row = Math.round(y / 20);
	return column >= 0 && column < width && row >= 0 && row < height ? row * width + column : -1;
}

// Show the board and focus it: the clicked link may be far below it, or gone.
function showBoard() {
	board.scrollIntoView({ block: 'nearest' });
	board.focus({ preventScroll: true });
}

function setFragment(text) {
	// Browsers refuse too many changes in a short time.
	try { history.replaceState(null, '', '#' + text); } catch { /* the page works without */ }
}

const clamp = (n, most) => Math.max(0, Math.min(most, n));

// Connect buttons, slider and keys to `step(by)`, `jump(to)`, `choose(by)` and `close()`, and
// further keys to the handlers in `more`. Keys work while the game or the graph has the focus;
// elsewhere they scroll.
function control({ step, jump, choose, close, more = {} }) {
	document.querySelectorAll('[hidden].controls, [hidden].switches').forEach(e => { e.hidden = false; });
	byId('first').onclick = () => jump(0);
	byId('back').onclick = () => step(-1);
	byId('forward').onclick = () => step(1);
	byId('last').onclick = () => jump(Infinity);
	byId('slider').oninput = event => jump(Number(event.target.value));
	const keys = {
		ArrowLeft: () => step(-1), ArrowRight: () => step(1), PageUp: () => step(-10), PageDown: () => step(10),
		Home: () => jump(0), End: () => jump(Infinity), ArrowUp: () => choose(-1), ArrowDown: () => choose(1), Escape: close,
		...more,
	};
	board.tabIndex = 0;
	document.querySelectorAll('.game, #graph').forEach(place => place.addEventListener('keydown', event => {
		const { target } = event, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
		const other = event.ctrlKey || event.altKey || event.metaKey || target.id === 'own' || (key === ' ' && target !== board);
		if (other || !Object.hasOwn(keys, key)) return;
		event.preventDefault();
		keys[key]();
	}));
}
