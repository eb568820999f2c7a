// An analysed game.
const { positions, moves, losses } = data;
const game = boards(data.start, moves);
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const shareOf = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678';
const end = positions.length - 1;
let at = Math.max(0, end);
let chosen = 0; // the number of the open candidate, or 0
let line = []; // its variation, or the moves tried out
let depth = 0; // how many moves of the line are on the board
let timer = 0;

const percent = p => (100 * p).toFixed(1) + '\u00a0%';
const leader = lead => (lead >= 0 ? 'B+' : 'W+') + Math.abs(lead).toFixed(1);
const lossText = n => (n < 0.05 ? '0.0' : '−' + n.toFixed(1));
const address = (n, line, step) => '#move=' + n + (line ? '&line=' + line : '') + (step ? '&step=' + step : '');
const headline = p => `Black ${percent(p.winRate)}, ${leader(p.lead)}`;
const title = (n, turn) => (turn ? `Move ${n}: ${names[turn[0]]} ${vertex(turn[1])}` : 'Start of the game');

function neighbours(point) {
	const x = point % width;
	const all = [x ? point - 1 : -1, x < width - 1 ? point + 1 : -1, point - width, point + width];
	return all.filter(p => p >= 0 && p < width * height);
}

// Return the chain of a stone if it has no liberty, otherwise an empty list.
function withoutLiberty(stones, point) {
	const chain = [point];
	for (const p of chain) {
		for (const q of neighbours(p)) {
			if (!stones[q]) return [];
			if (stones[q] === stones[p] && !chain.includes(q)) chain.push(q);
		}
	}
	return chain;
}

// Try a move. The script knows only captures and simple ko.
function tryOut(point) {
	pause();
	const steps = line.slice(0, depth), all = boards(game[at], steps), stones = all[depth];
	const player = depth ? 3 - steps[depth - 1][0] : positions[at].player;
	const changes = [];
	if (point >= 0) {
		if (stones[point]) return show('There is a stone already.');
		changes.push(3 * point + player);
		const now = changed(stones, changes);
		for (const q of neighbours(point)) {
			if (now[q] === 3 - player) changes.push(...withoutLiberty(now, q).map(p => 3 * p));
		}
		const after = changed(stones, changes);
		if (withoutLiberty(after, point).length) return show(`${vertex(point)} would have no liberty.`);
		const before = depth ? all[depth - 1] : game[at - 1];
		if (before && String(after) === String(before)) return show(`${vertex(point)} would retake the ko.`);
	}
	line = [...steps, [player, point, changes]];
	depth = line.length;
	chosen = 0;
	return show();
}

// List the moves to show in a position: the candidates with letters, and the game's move.
function rows() {
	const next = moves[at], loss = losses[at];
	const all = positions[at].candidates.map((c, i) => ({ ...c, text: letters[i % 26], href: address(at, i + 1), line: i + 1 }));
	if (next && loss) {
		let played = all.find(c => c.move === next[1]);
		if (!played) all.push(played = { move: next[1], text: '', href: address(at + 1) });
		Object.assign(played, { played: true, lost: loss.points });
		// If the board was set up after the move, the next position does not show its value.
		const { winRate, lead, visits } = next[3] ? played : positions[at + 1];
		Object.assign(played, { winRate, lead, visits });
	}
	return all;
}

function showRows(all) {
	const body = byId('considered').querySelector('tbody');
	body.replaceChildren();
	byId('considered').hidden = all.length === 0 || !byId('candidates').checked;
	const shown = (value, how) => (value === undefined ? '–' : how(value));
	for (const c of all) {
		const row = body.insertRow(), to = document.createElement('a');
		row.className = chosen && chosen === c.line ? 'here' : '';
		to.href = c.href;
		to.textContent = `${c.text} ${vertex(c.move)}`.trim();
		row.insertCell().append(to, c.played ? ' played' : '');
		for (const text of [shown(c.lost, lossText), shown(c.winRate, percent), shown(c.lead, leader), shown(c.visits, String), shown(c.prior, p => (100 * p).toFixed(0) + '\u00a0%')]) {
			row.insertCell().textContent = text;
		}
	}
}

// List the clickable moves on the board. The game's move is always included, and the best move if
// one is known.
function links(all, best) {
	const seen = all.filter(c => c.move >= 0 && (c.played || c.move === best || byId('candidates').checked));
	return seen.map(c => {
		const text = c.played && c.lost >= 1 ? '−' + c.lost.toFixed(0) : c.text;
		const name = c.move === best ? 'best' : c.played ? 'played' : 'candidate';
		const values = c.winRate === undefined ? '' : `: ${headline(c)}`;
		return {
			point: c.move, href: c.href, text, name,
			fill: { best: '#fff', played: '#8c1d12', candidate: '#0a3f7d' }[name],
			title: `${text} ${vertex(c.move)}${c.played ? ', played' : ''}${values}, ${lossText(c.lost)} points`,
		};
	});
}

function show(refused = '') {
	const now = positions[at], turn = moves[at - 1], next = moves[at], loss = losses[at], lost = losses[at - 1];
	const where = title(at, turn) + (turn && turn[3] ? ', then the board was set up' : '');
	const all = rows();
	const variation = boards(game[at], line);
	const position = { stones: variation[depth], last: turn ? turn[1] : -1, marks: [] };
	if (byId('ownership').checked) position.shares = Array.from(now.ownership, c => (shareOf.indexOf(c) - 30) / 30);
	if (depth) {
		position.numbers = numbered(line, depth, position.stones);
		position.last = -1;
	} else {
		const best = loss?.better ?? (byId('candidates').checked ? all[0]?.move : undefined);
		if (best >= 0) position.marks.push(['best', best]);
		position.links = links(all, best);
	}
	if (depth && next && next[1] >= 0 && !position.stones[next[1]]) position.marks.push(['played', next[1]]);
	draw(position);
	describe(where, position.stones);
	byId('where').textContent = where;
	byId('says').textContent = `${headline(now)}, ${now.visits ? now.visits + ' visits' : 'as counted'}.` + (turn && lost ? ` ${names[turn[0]]}’s ${vertex(turn[1])} lost ${lost.points.toFixed(1)} points, ${(100 * lost.winRate).toFixed(1)} percentage points.` : '');
	const by = loss?.points >= 0.05 ? ` (${lossText(loss.points)})` : '';
	const better = loss && loss.better !== null ? `; ${vertex(loss.better)} was better` : '';
	byId('played').textContent = next ? `${names[next[0]]} played ${vertex(next[1])}${by}${better}.` : '';
	const sequence = line.map(([, point], i) => `${i + 1} ${vertex(point)}`).join(', ');
	const name = chosen ? `Variation ${letters[(chosen - 1) % 26]}` : 'Tried out';
	byId('line').textContent = refused || (line.length ? `${name}, ${names[line[0][0]]} first: ${sequence}. ${depth} of ${line.length} on the board.` : '');
	showRows(all);
	byId('close').disabled = !line.length;
	if (data.record) byId('on').href = `/#record=${data.record}&move=${at}&color=${names[now.player].toLowerCase()}`;
	byId('slider').value = at;
	byId('slider').setAttribute('aria-valuetext', where);
	byId('cursor').style.left = (end ? 100 * at / end : 0) + '%';
	byId('graph').setAttribute('aria-valuenow', at);
	showValue(at);
	document.querySelectorAll('#costliest tbody tr').forEach(row => {
		row.classList.toggle('here', Number(row.dataset.move) === at);
	});
}

// Show the graph's values at a move.
function showValue(n) {
	const text = `${title(n, moves[n - 1])}: ${headline(positions[n])}`;
	byId('value').textContent = n === at ? '' : text;
	byId('graph').setAttribute('aria-valuetext', text);
	byId('pointer').hidden = n === at;
	byId('pointer').style.left = (end ? 100 * n / end : 0) + '%';
}

// Show a position, with a candidate's variation up to a step, or all of it.
function go(n, candidate = 0, step = Infinity) {
	pause();
	at = clamp(n, end);
	line = positions[at].candidates[candidate - 1]?.line || [];
	chosen = line.length ? candidate : 0;
	depth = clamp(step, line.length);
	show();
	setFragment(address(at, chosen, depth < line.length ? depth : 0).slice(1));
}

// Step through the open variation, or else through the game. Returns whether anything
// changed.
function step(by) {
	pause();
	const from = line.length ? depth : at;
	if (!line.length) go(at + by);
	else {
		depth = clamp(depth + by, line.length);
		show();
	}
	return from !== (line.length ? depth : at);
}

function pause() {
	clearTimeout(timer);
	timer = 0;
	byId('play').textContent = '▶ play';
}

function play() {
	if (timer) return pause();
	if (depth === line.length) depth = 0;
	return playOn();
}

function playOn() {
	if (!step(1)) return;
	timer = setTimeout(playOn, 800);
	byId('play').textContent = '❚❚ pause';
}

// Go to the nearest position before a mistake, in this direction.
function goToMistake(by) {
	const whose = byId('whose').value;
	let n = at + by;
	while (n >= 0 && n < moves.length && !(losses[n]?.mistake && (!whose || names[moves[n][0]] === whose))) n += by;
	if (n >= 0 && n < moves.length) go(n);
}

function readFragment() {
	const { move = end, line = 0, step } = fragment();
	go(move, line, step);
}

if (positions.length) {
	control({
		step,
		jump: to => go(to),
		choose: by => go(at, clamp(chosen + by, positions[at].candidates.length)),
		close: () => go(at),
		more: { n: () => goToMistake(1), p: () => goToMistake(-1), ' ': play },
	});
	byId('previous').onclick = () => goToMistake(-1);
	byId('next').onclick = () => goToMistake(1);
	byId('play').onclick = play;
	byId('close').onclick = () => go(at);
	byId('slider').max = end;
	byId('on').hidden = !data.record;
	for (const id of ['cursor', 'value', 'files']) byId(id).hidden = false;
	for (const id of ['ownership', 'candidates']) byId(id).onchange = () => show();
	byId('whose').onchange = event => {
		for (const row of document.querySelectorAll('#costliest tbody tr')) {
			row.hidden = event.target.value && event.target.value !== row.dataset.player;
		}
	};
	byId('try').onsubmit = event => {
		event.preventDefault();
		const text = byId('own').value.trim().toUpperCase();
		const point = Array.from(game[0].keys()).find(p => vertex(p) === text);
		if (point === undefined && text !== 'PASS') return show(`“${text}” is not a point on this board.`);
		byId('own').value = '';
		return tryOut(point ?? -1);
	};
	board.addEventListener('click', event => {
		if (event.target.closest('a')) return;
		const point = pointUnder(event);
		if (point >= 0) tryOut(point);
	});
	const graph = byId('graph');
	for (const [name, value] of Object.entries({ role: 'slider', tabindex: 0, 'aria-label': 'Win rate and lead', 'aria-valuemin': 0, 'aria-valuemax': end })) graph.setAttribute(name, value);
	const under = event => {
		const box = graph.getBoundingClientRect();
		return clamp(Math.round(end * (event.clientX - box.left) / box.width), end);
	};
	graph.addEventListener('pointerdown', event => go(under(event)));
	graph.addEventListener('pointermove', event => (event.buttons ? go : showValue)(under(event)));
	graph.addEventListener('pointerleave', () => showValue(at));
	for (const [name, text] of data.files) {
		const to = document.createElement('a');
		to.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
		to.download = to.textContent = name;
		byId('files').append(to, ' ');
	}
	addEventListener('hashchange', () => { readFragment(); showBoard(); });
	readFragment();
}
