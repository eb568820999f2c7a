// The first page: start a game, or send a record.
const byId = id => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
let dropped = null; // the file, if it was dropped
let running = null; // the record that is being worked on

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

byId('play').onsubmit = async event => {
	event.preventDefault();
	const chosen = Object.fromEntries(new FormData(byId('play')));
	try {
		byId('refused').textContent = '';
		const { address } = await ask('/games', JSON.stringify(chosen));
		location.href = address;
	} catch (e) {
		byId('refused').textContent = e.message;
	}
};

const chosenFile = () => dropped ?? byId('file').files[0];
const task = () => byId('record').elements.task.value;

function say(text) {
	byId('state').textContent = text;
}

// Wait until the page of a record is ready.
async function follow(number) {
	byId('stop').hidden = byId('bar').hidden = false;
	for (;;) {
		const state = await ask(`/records/${number}/state`);
		if (state.address) {
			location.href = state.address;
			return;
		}
		say(state.text);
		byId('bar').max = state.of || 1;
		if (state.of) byId('bar').value = state.done;
		else byId('bar').removeAttribute('value');
		await new Promise(resolve => setTimeout(resolve, 500));
	}
}

byId('record').onsubmit = async event => {
	event.preventDefault();
	if (running !== null) return say('One record at a time: this one is not done yet.');
	const file = chosenFile();
	if (!file) return say('Choose a record first.');
	try {
		say('Sending the record …');
		const visits = task() === 'review' ? '?visits=' + byId('record').elements.visits.value : '';
		running = (await ask(`/records/${task()}${visits}`, file)).number;
		await follow(running);
	} catch (e) {
		say(e.message);
	}
	running = null;
	byId('stop').hidden = byId('bar').hidden = true;
};

byId('stop').onclick = () => {
	if (running !== null) ask(`/records/${running}/stop`).catch(e => say(e.message));
};

byId('file').onchange = () => {
	dropped = null;
	say('');
};
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
	dropped = event.dataTransfer.files[0] ?? null;
	if (dropped) say(`${dropped.name} is chosen.`);
});
setDefaults();
