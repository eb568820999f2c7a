// Send a request to the program that served this page. Returns its answer, or throws an error
// with the reason.
async function ask(address, body = '') {
	let answer, text;
	try {
		answer = await fetch(address, { method: 'POST', body });
		text = await answer.text();
	} catch {
		throw new Error('Ponnuki does not answer: is it still running?');
	}
	if (!answer.ok) throw new Error(text);
	return JSON.parse(text);
}

// Show another page. A page that contains the program defines this function itself.
window.openPage ??= address => { location.href = address; };

// Start work on a record, which is in `body` or on the server already, and show its page at the
// end. The page has a place for the state, a bar and a button that stops the work.
let running = null; // the number of the record that is being worked on

function say(text) {
	document.getElementById('state').textContent = text;
}

async function work(address, body) {
	if (running !== null) return say('Please wait: the last record is not finished.');
	running = 0;
	try {
		say('Sending …');
		follow((await ask(address, body)).number);
	} catch (e) {
		running = null;
		say(e.message);
	}
}

// Show the progress of the work on a record, and its page at the end.
async function follow(number) {
	const bar = document.getElementById('bar'), stop = document.getElementById('stop');
	running = number;
	stop.onclick = () => ask(`/records/${number}/stop`).catch(e => say(e.message));
	bar.hidden = stop.hidden = false;
	try {
		for (;;) {
			const state = await ask(`/records/${number}/state`);
			if (running !== number) return;
			say(state.address ? '' : state.text);
			if (state.address) {
				openPage(state.address);
				break;
			}
			bar.max = state.of || 1;
			if (state.of) bar.value = state.done;
			else bar.removeAttribute('value');
			await new Promise(resolve => setTimeout(resolve, 500));
		}
	} catch (e) {
		say(e.message);
	}
	running = null;
	bar.hidden = stop.hidden = true;
}
