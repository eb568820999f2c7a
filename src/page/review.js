// An analysed game.
const { positions, moves } = data;
const game = boards(data.start, moves);
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const shareOf = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678';
const end = positions.length - 1;
let at = Math.max(0, end);
let chosen = 0; // 0, or the number of the candidate whose variation is on the board

const percent = p => (100 * p).toFixed(1) + ' %';
const leader = lead => (lead >= 0 ? 'B+' : 'W+') + Math.abs(lead).toFixed(1);
const signed = n => (n < 0 ? '−' : '+') + Math.abs(n).toFixed(1);
const link = (n, line) => '#move=' + n + (line ? '&line=' + line : '');

function cell(row, text) {
	row.insertCell().textContent = text;
}

function showCandidates(candidates) {
	const rows = byId('considered').querySelector('tbody');
	rows.replaceChildren();
	byId('considered').hidden = candidates.length === 0 || !byId('candidates').checked;
	candidates.forEach((c, i) => {
		const row = rows.insertRow();
		row.className = chosen === i + 1 ? 'here' : '';
		const to = document.createElement('a');
		to.href = link(at, i + 1);
		to.textContent = letters[i % 26] + '  ' + vertex(c.move);
		row.insertCell().append(to);
		cell(row, percent(c.winRate));
		cell(row, leader(c.lead));
		cell(row, c.visits);
		cell(row, percent(c.prior));
	});
}

function show() {
	const now = positions[at], candidates = now.candidates;
	const turn = at > 0 ? moves[at - 1] : null;
	const next = at < moves.length ? moves[at] : null;
	const title = turn ? `Move ${at}: ${names[turn[0]]} ${vertex(turn[1])}${turn[3] ? ', then the board was set up' : ''}` : 'Start of the game';
	let says = `Black ${percent(now.winRate)}, ${leader(now.lead)}, ${now.visits} visits`;
	if (turn && !turn[3]) {
		const sign = turn[0] === 1 ? 1 : -1, before = positions[at - 1];
		const points = sign * (now.lead - before.lead), rate = sign * (now.winRate - before.winRate);
		says += `. Change for ${names[turn[0]]}: ${signed(points)} points, ${signed(100 * rate)} %`;
	}
	const line = chosen ? candidates[chosen - 1].line : null;
	const position = { stones: game[at], last: turn ? turn[1] : -1, marks: [] };
	if (byId('ownership').checked) position.shares = Array.from(now.ownership, c => (shareOf.indexOf(c) - 30) / 30);
	if (line) {
		const all = boards(game[at], line);
		position.stones = all[line.length];
		position.numbers = numbered(line, line.length, position.stones);
		if (next && next[1] >= 0 && !position.stones[next[1]]) position.marks.push(['played', next[1]]);
	} else {
		if (next && next[1] >= 0) position.marks.push(['played', next[1]]);
		if (byId('candidates').checked) {
			position.links = candidates.map((c, i) => ({
				point: c.move, text: letters[i % 26], href: link(at, i + 1), best: i === 0,
				title: `${vertex(c.move)}: Black ${percent(c.winRate)}, ${leader(c.lead)}, ${c.visits} visits`,
			})).filter(c => c.point >= 0);
		}
	}
	draw(position);
	say(title, position.stones);
	byId('where').textContent = title;
	byId('says').textContent = says + '.';
	const told = line && line.map(([, point], i) => `${i + 1} ${vertex(point)}`).join(', ');
	byId('line').textContent = line ? `Variation ${letters[(chosen - 1) % 26]}, ${names[line[0][0]]} first: ${told}.` + (next ? ` The game went on at ${vertex(next[1])}.` : '') : '';
	showCandidates(candidates);
	byId('slider').value = at;
	byId('slider').setAttribute('aria-valuetext', title);
	byId('cursor').style.left = (end ? 100 * at / end : 0) + '%';
	document.querySelectorAll('#costliest tbody tr').forEach(row => {
		row.classList.toggle('here', Number(row.dataset.move) === at + 1 && chosen > 0);
	});
}

function go(n, line = 0) {
	at = clamp(n, end);
	chosen = line <= positions[at].candidates.length && positions[at].candidates[line - 1]?.line.length ? line : 0;
	show();
	setFragment(link(at, chosen).slice(1));
}

function sortCostliest() {
	const body = document.querySelector('#costliest tbody');
	const by = byId('by').value, whose = byId('whose').value;
	const rows = Array.from(body.rows).sort((a, b) => b.dataset[by] - a.dataset[by]);
	let left = 10;
	for (const row of rows) {
		const wanted = (!whose || row.dataset.player === whose) && row.dataset[by] > 0;
		row.hidden = !wanted || left <= 0;
		if (wanted) left -= 1;
		body.append(row);
	}
}

function read() {
	const { move = end, line = 0 } = fragment();
	go(move, line);
}

if (positions.length) {
	control({
		step: by => go(at + by),
		jump: to => go(to),
		choose: by => go(at, clamp(chosen + by, positions[at].candidates.length)),
		close: () => go(at),
	});
	byId('slider').max = end;
	byId('cursor').hidden = false;
	for (const id of ['ownership', 'candidates']) byId(id).onchange = show;
	for (const id of ['whose', 'by']) byId(id).onchange = sortCostliest;
	const trace = event => {
		const box = byId('graph').getBoundingClientRect();
		go(Math.round(end * (event.clientX - box.left) / box.width));
	};
	byId('graph').addEventListener('pointerdown', trace);
	byId('graph').addEventListener('pointermove', event => { if (event.buttons) trace(event); });
	addEventListener('hashchange', () => { read(); follow(); });
	sortCostliest();
	read();
}
