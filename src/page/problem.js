// A problem with its tree of variations. Node 0 is the problem itself.
const { nodes } = data;
let { group } = data; // the stones in question, or a stone clicked for another question
// The nodes that follow each node.
const next = nodes.map(() => []);
nodes.forEach(({ from }, n) => { if (n) next[from].push(n); });
const all = [Uint8Array.from(data.start)];
nodes.forEach(({ from, step }, n) => { if (n) all.push(changed(all[from], step[2])); });
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const marks = { right: 'best', wrong: 'played' };
const inks = { best: '#fff', played: '#8c1d12', candidate: '#0a3f7d' };
let at = 0; // the node on the board
let leaf = 0; // the last node of the line through it

// The nodes from the first move to a node.
function path(n) {
	const found = [];
	for (let i = n; i; i = nodes[i].from) found.unshift(i);
	return found;
}

function endOf(n) {
	let end = n;
	while (next[end].length) [end] = next[end];
	return end;
}

const named = n => `${names[nodes[n].step[0]]} ${vertex(nodes[n].step[1])}`;
const verdictText = n => (nodes[n].verdict ? `, ${nodes[n].verdict}` : '');

function show() {
	const stones = all[at], way = path(at), steps = way.map(n => nodes[n].step);
	const position = { stones, marks: [], numbers: numbered(steps, steps.length, stones) };
	for (const point of group) {
		if (stones[point] && !position.numbers.has(point)) position.marks.push(['asked', point]);
	}
	const open = next[at].filter(n => nodes[n].step[1] >= 0 && !stones[nodes[n].step[1]]);
	position.links = open.map((n, i) => {
		const name = marks[nodes[n].verdict] || 'candidate';
		const text = letters[i % 26];
		return { point: nodes[n].step[1], href: '#node=' + n, text, name, fill: inks[name], title: `${text} ${named(n)}${verdictText(n)}` };
	});
	draw(position);
	const where = at ? way.map((n, i) => `${i + 1} ${named(n)}`).join(', ') : 'The problem';
	describe(where, stones);
	const note = way.map(n => nodes[n].comment).filter(Boolean).join(' ');
	const more = next[at].length ? '' : ' End of the line.';
	byId('line').textContent = at ? `${where}.${more} ${note}` : 'Choose a marked point, or → for the first line.';
	const line = path(leaf);
	byId('slider').max = line.length;
	byId('slider').value = way.length;
	byId('slider').setAttribute('aria-valuetext', where);
	document.querySelectorAll('#variations li').forEach(item => {
		item.classList.toggle('here', at > 0 && way.includes(Number(item.dataset.node)));
	});
}

function go(n) {
	at = clamp(n, nodes.length - 1);
	if (!path(leaf).includes(at)) leaf = endOf(at);
	show();
	setFragment(at ? 'node=' + at : '');
}

// Go to the position after this many moves of the line.
function jump(to) {
	const line = [0, ...path(leaf)];
	go(line[clamp(to, line.length - 1)]);
}

// Replace the last move by another.
function choose(by) {
	if (!at) return go(next[0][0] || 0);
	const siblings = next[nodes[at].from];
	const i = siblings.indexOf(at) + by;
	leaf = endOf(siblings[clamp(i, siblings.length - 1)]);
	return go(siblings[clamp(i, siblings.length - 1)]);
}

// Ask `ponnuki serve` about another group, or with the other player first.
const again = byId('again');
if (data.record) {
	again.hidden = false;
	again.elements.color.value = names[data.first].toLowerCase();
	again.elements.group.value = vertex(group[0]);
	again.onsubmit = event => {
		event.preventDefault();
		work(`/records/${data.record}/solve?` + new URLSearchParams(new FormData(again)));
	};
	board.addEventListener('click', event => {
		const point = pointUnder(event);
		if (event.target.closest('a') || point < 0 || !all[0][point]) return;
		group = [point];
		again.elements.group.value = vertex(point);
		show();
	});
}

leaf = endOf(0);
control({
	step: by => jump(path(at).length + by),
	jump,
	choose,
	close: () => { leaf = endOf(0); go(0); },
});
const readFragment = () => go(fragment().node || 0);
addEventListener('hashchange', () => { readFragment(); showBoard(); });
readFragment();
