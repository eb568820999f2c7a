// The first page: start a game, or send a record.
const byId = id => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);

function setDefaults() {
	for (const [name, value] of data.defaults) {
		const field = byId('play').elements[name];
		field.value = value;
		if (field instanceof HTMLSelectElement && field.value !== value) {
			field.add(new Option(value));
			field.value = value;
		}
	}
}

// The record to continue, if the address names one: `#record=3&move=57&color=black`. `#watch=3`
// names a record that is being worked on.
let from = null;

function readAddress() {
	const named = new URLSearchParams(location.hash.slice(1)), fields = byId('play').elements;
	if (/^\d{1,9}$/.test(named.get('watch'))) {
		follow(Number(named.get('watch')));
		byId('stop').scrollIntoView({ block: 'nearest' });
	}
	from = /^\d{1,9}$/.test(named.get('record')) ? named.get('record') : null;
	byId('anew').hidden = Boolean(from);
	byId('from').hidden = !from;
	byId('begin').textContent = from ? 'Continue the game' : 'Start the game';
	if (!from) return;
	byId('which').textContent = `The game of record ${from} goes on.`;
	const asked = from;
	ask(`/records/${from}/state`).then(
		({ note }) => { if (note && from === asked) byId('which').textContent += ` The record: ${note}.`; },
		e => { if (from === asked) byId('refused').textContent = e.message; },
	);
	fields.move.value = named.get('move') ?? '';
	if (['black', 'white'].includes(named.get('color'))) fields.color.value = named.get('color');
	byId('begin').scrollIntoView({ block: 'nearest' });
	byId('begin').focus();
}

byId('play').onsubmit = async event => {
	event.preventDefault();
	const { move, ...chosen } = Object.fromEntries(new FormData(byId('play')));
	chosen.komi = chosen.komi.replace(',', '.'); // some keyboards offer only a comma
	const { color, level } = chosen;
	try {
		byId('refused').textContent = '';
		const game = from
			? ask(`/records/${from}/play?move=${encodeURIComponent(move)}`, JSON.stringify({ color, level }))
			: ask('/games', JSON.stringify(chosen));
		openPage((await game).address);
	} catch (e) {
		byId('refused').textContent = e.message;
	}
};

const task = () => byId('record').elements.task.value;

byId('record').onsubmit = event => {
	event.preventDefault();
	const [file] = byId('file').files;
	if (!file) return say('Choose a record first.');
	const visits = task() === 'review' ? '?visits=' + byId('record').elements.visits.value : '';
	return work(`/records/${task()}${visits}`, file);
};

byId('file').onchange = () => say('');
byId('record').onchange = () => { byId('depth').hidden = task() !== 'review'; };
const drop = byId('drop');
addEventListener('dragover', event => {
	event.preventDefault();
	drop.classList.add('over');
});
addEventListener('dragleave', event => { if (!event.relatedTarget) drop.classList.remove('over'); });
addEventListener('drop', event => {
	event.preventDefault();
	drop.classList.remove('over');
	const { files } = event.dataTransfer;
	if (!files.length) return;
	byId('file').files = files;
	say(`${files[0].name} is chosen.`);
});
addEventListener('hashchange', readAddress);
setDefaults();
readAddress();
