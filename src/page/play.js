// A game against the program.
const narrow = 26; // if lines are closer than this, in pixels, a touch needs two taps
let state = data;
let cursor = -1; // the point with the ring, or −1
let line = []; // the moves of a hint
let marks = []; // life and death from a count before the game is over
let busy = false;
let focused = null; // the element that had the focus last
let sure = 0; // when the person asked to resign, if that was the last action
const soon = 500; // a second click within this time, in milliseconds, is a double click

const stones = () => Uint8Array.from(state.stones);
const shownMarks = () => (state.result ? state.marks : marks);
const enginesTurn = () => !state.result && state.toMove !== state.human;

function show() {
	const all = boards(state.stones, line), now = all[line.length];
	const position = { stones: now, numbers: numbered(line, line.length, now), marks: [...shownMarks()] };
	if (!line.length && !state.result && state.last) position.last = state.last[1];
	if (cursor >= 0) position.marks.push(['asked', cursor]);
	draw(position);
	const last = state.last ? `Move ${state.turns}: ${names[state.last[0]]} ${vertex(state.last[1])}` : 'No move yet';
	describe(last, all[0], shownMarks());
	byId('where').textContent = last;
	byId('captured').textContent = `Captured: ${state.captured[1]} white, ${state.captured[0]} black.`;
	byId('playing').hidden = Boolean(state.result);
	byId('settling').hidden = !state.result;
	byId('dispute').hidden = byId('ending').hidden = !state.disputable;
	byId('legend').hidden = !position.marks.some(([name]) => name !== 'asked');
	for (const button of document.querySelectorAll('.controls button')) button.disabled = busy || enginesTurn();
	byId('back').disabled = busy;
	byId('now').disabled = !enginesTurn();
	board.classList.toggle('waits', busy || enginesTurn());
	byId('resign').textContent = sure ? 'really resign?' : 'resign';
}

function status() {
	if (state.result) return `The game is over. ${state.result}`;
	if (enginesTurn()) return 'Ponnuki is thinking …';
	const last = state.last && state.last[0] !== state.human ? (state.last[1] < 0 ? 'Ponnuki passes. ' : `Ponnuki plays ${vertex(state.last[1])}. `) : '';
	return last + 'Your turn.';
}

// What is dead at the end of the game, in words.
function settled() {
	if (!state.result || !state.disputable) return '';
	const dead = [...marked(state.marks, 'dead')].sort((a, b) => a - b).map(vertex);
	return `Dead stones: ${dead.join(' ') || 'none'}.`;
}

// Send an action to the program, and show its answer.
async function act(name, text = '') {
	if (busy) return;
	busy = true;
	sure = 0;
	if (name !== 'reply') byId('refused').textContent = '';
	if (['hint', 'who', 'count', 'explain'].includes(name)) byId('says').textContent = 'Ponnuki is looking …';
	show();
	try {
		const answer = await ask(`/games/${state.number}/${name}?version=${state.version}`, text);
		state = answer.state;
		line = answer.line ?? [];
		marks = answer.marks ?? [];
		byId('text').textContent = answer.said ?? settled();
		if (answer.refused) byId('refused').textContent = answer.refused;
		if (state.last && state.last[1] === cursor) cursor = -1;
	} catch (e) {
		byId('refused').textContent = e.message;
	}
	busy = false;
	byId('says').textContent = status();
	show();
	// A button that is disabled loses the focus.
	if (document.activeElement === document.body) focused?.focus({ preventScroll: true });
}

// Act at the person's turn, then let the program reply.
async function actOnTurn(name, text) {
	if (busy || enginesTurn()) return;
	await act(name, text);
	await reply();
}

async function reply() {
	if (!enginesTurn()) return;
	await act('reply');
	if (enginesTurn()) byId('says').textContent = 'It is Ponnuki’s turn: press move now to go on.';
}

// Play at a point or, once the game is over, ask about the stone there.
function choosePoint(point) {
	if (state.result) {
		if (stones()[point]) act('explain', vertex(point));
		return;
	}
	actOnTurn('play', vertex(point));
}

function moveRing(dx, dy) {
	const at = cursor >= 0 ? cursor : state.last && state.last[1] >= 0 ? state.last[1] : Math.floor(height / 2) * width + Math.floor(width / 2);
	const x = at % width, y = Math.floor(at / width);
	cursor = cursor < 0 ? at : clamp(y + dy, height - 1) * width + clamp(x + dx, width - 1);
	const fate = ['dead', 'seki'].find(kind => marked(shownMarks(), kind).has(cursor));
	byId('says').textContent = [vertex(cursor), names[stones()[cursor]], fate === 'seki' ? 'in seki' : fate].filter(Boolean).join(', ');
	show();
}

function clear() {
	cursor = -1;
	line = [];
	marks = [];
	sure = 0;
	byId('text').textContent = settled();
	byId('refused').textContent = '';
	byId('says').textContent = status();
	show();
}

function resign() {
	const now = Date.now();
	if (sure && now - sure > soon) return actOnTurn('resign');
	sure = sure || now;
	return show();
}

// Let the program move at once. The move is the answer to the pending request. If that request has
// failed, ask for the move again.
function now() {
	if (busy && enginesTurn()) ask(`/games/${state.number}/move-now`).catch(e => { byId('refused').textContent = e.message; });
	else reply();
}

const actions = {
	now,
	pass: () => actOnTurn('play', 'pass'),
	undo: () => actOnTurn('undo'),
	back: () => act('undo').then(reply),
	hint: () => actOnTurn('hint'),
	who: () => actOnTurn('who'),
	count: () => actOnTurn('count'),
	dispute: () => act('dispute').then(reply),
	resign,
};
for (const name in actions) byId(name).onclick = actions[name];
const keys = {
	ArrowLeft: () => moveRing(-1, 0), ArrowRight: () => moveRing(1, 0), ArrowUp: () => moveRing(0, -1), ArrowDown: () => moveRing(0, 1),
	Enter: () => { if (cursor >= 0) choosePoint(cursor); }, ' ': () => { if (cursor >= 0) choosePoint(cursor); },
	m: now, p: () => { if (!state.result) actions.pass(); }, u: () => (state.result ? actions.back() : actions.undo()),
	h: () => { if (!state.result) actions.hint(); }, w: () => { if (!state.result) actions.who(); },
	c: () => { if (!state.result) actions.count(); }, Escape: clear,
};
document.addEventListener('focusin', event => { focused = event.target; });
board.tabIndex = 0;
board.addEventListener('keydown', event => {
	const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
	if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, key)) return;
	event.preventDefault();
	keys[key]();
});
board.addEventListener('click', event => {
	const point = pointUnder(event);
	if (point < 0) return;
	// Where lines are close, the first tap shows the point and the second acts there.
	if (event.pointerType === 'touch' && 20 * board.getScreenCTM().a < narrow && cursor !== point) {
		cursor = point;
		const again = !state.result ? ': tap again to play there.' : stones()[point] ? ': tap again to ask about this stone.' : '';
		byId('says').textContent = vertex(point) + again;
		return show();
	}
	cursor = -1;
	choosePoint(point);
});
byId('says').textContent = status();
byId('text').textContent = settled();
show();
reply();
