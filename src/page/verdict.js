// A scored game.
const { chains } = data;
const sequences = chains.map(c => boards(data.start, c.steps));
let chosen = 0; // the number of the chain shown, or 0
let at = 0;

function show() {
	const items = Array.from(byId('chains').children);
	items.forEach((item, i) => item.classList.toggle('here', chosen === i + 1));
	const chain = chosen ? chains[chosen - 1] : null;
	const steps = chain ? chain.steps : [];
	at = clamp(at, steps.length);
	const stones = chain ? sequences[chosen - 1][at] : Uint8Array.from(data.start);
	const last = at ? steps[at - 1] : null;
	const position = { stones, marks: data.marks };
	if (chain) {
		position.numbers = numbered(steps, at, stones);
		position.marks = at ? [] : data.marks.slice();
		for (const point of chain.stones) {
			if (stones[point] === Number(data.start[point]) && !position.numbers.has(point)) position.marks.push(['asked', point]);
		}
		if (last && last[1] >= 0 && !position.numbers.has(last[1])) position.last = last[1];
	}
	draw(position);
	describe(chain ? `Chain ${chosen}, step ${at} of ${steps.length}` : 'The board with life and death', stones, position.marks);
	const sequence = steps.slice(0, at).map((step, i) => `${i + 1} ${step[3]}`).join(', ');
	const none = chain && !chain.proved ? 'No sequence: the status is estimated.' : 'No sequence is needed.';
	byId('line').textContent = !chain ? '' : !steps.length ? none : at ? sequence + '.' : `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}: → shows the first.`;
	byId('slider').max = steps.length;
	byId('slider').value = at;
	for (const id of ['first', 'back', 'slider', 'forward', 'last']) byId(id).disabled = !steps.length;
}

function go(chain, step) {
	chosen = clamp(chain, chains.length);
	at = chosen ? clamp(step, chains[chosen - 1].steps.length) : 0;
	show();
	setFragment(chosen ? `chain=${chosen}&step=${at}` : '');
}

function readFragment() {
	const { chain = 0, step = 0 } = fragment();
	go(chain, step);
}

control({
	step: by => go(chosen, at + by),
	jump: to => go(chosen, to),
	choose: by => {
		go(chosen + by, 0);
		if (chosen) byId('chains').children[chosen - 1].scrollIntoView({ block: 'nearest' });
	},
	close: () => go(0, 0),
});
addEventListener('hashchange', () => { readFragment(); showBoard(); });
readFragment();
