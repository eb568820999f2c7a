// The page that contains the program. The program runs in a worker, and its pages are shown in a
// frame. Their requests come here as messages, and the worker answers them.
const says = document.getElementById('says'), frame = document.getElementById('frame');
const take = id => {
	const element = document.getElementById(id), text = element.textContent;
	element.remove();
	return text;
};
const blob = (text, type) => URL.createObjectURL(new Blob([text], { type }));
const worker = new Worker(blob(take('worker'), 'text/javascript'));
const waiting = new Map(); // by number of a request, what takes its answer
let last = 0; // the number of the last request
let shown = ''; // the address of the page in the frame

function say(text) {
	says.textContent = text;
	says.hidden = !text;
}

function ask(method, target, body = '') {
	return new Promise(resolve => {
		last += 1;
		waiting.set(last, resolve);
		worker.postMessage({ number: last, method, target, body });
	});
}

worker.onmessage = ({ data }) => {
	if (data.broken) return say(`Ponnuki has made an error, and its games are lost: load this page again. (${data.broken})`);
	waiting.get(data.number)(data);
	waiting.delete(data.number);
};

// Runs in each page in the frame, before its own script: requests and links lead here.
function inside() {
	const tell = (message, ...ports) => parent.postMessage(message, '*', ports);
	window.openPage = address => tell({ address });
	window.fetch = (target, { method = 'GET', body } = {}) => new Promise(resolve => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = ({ data: { status, body } }) => resolve({ ok: status < 400, text: async () => body });
		tell({ method, target, body }, port2);
	});
	addEventListener('click', async event => {
		const link = event.target.closest('a'), address = link?.getAttribute('href') ?? '';
		if (event.defaultPrevented || !/^[#/]/.test(address)) return;
		event.preventDefault();
		if (address[0] === '#') {
			// A page of this kind cannot move to another fragment by itself.
			history.replaceState(null, '', address);
			dispatchEvent(new HashChangeEvent('hashchange'));
		} else if (link.hasAttribute('download')) {
			const file = new Blob([await (await fetch(address)).text()]);
			const copy = Object.assign(document.createElement('a'), { href: URL.createObjectURL(file), download: link.download });
			copy.click();
		} else {
			tell({ address });
		}
	});
	addEventListener('load', () => tell({ title: document.title }));
}

async function show(address) {
	shown = address;
	const late = setTimeout(say, 500, 'Ponnuki is still at work: the page comes after that.');
	const [target, fragment] = address.split('#');
	const { status, body } = await ask('GET', target);
	clearTimeout(late);
	if (address !== shown) return;
	say('');
	// Games are gone once this page is loaded again.
	if (status >= 400) return go('/');
	const page = blob(body.replace('<head>', head => `${head}<script>(${inside})()<\/script>`), 'text/html');
	frame.contentWindow.location.replace(page + (fragment ? '#' + fragment : ''));
	frame.onload = () => {
		URL.revokeObjectURL(page);
		frame.focus();
	};
}

function go(address) {
	history.pushState(null, '', '#' + address);
	show(address);
}

const interrupts = 'Suspending' in WebAssembly;
addEventListener('message', async ({ data, ports, source }) => {
	if (source !== frame.contentWindow) return;
	if (data.address) go(data.address);
	if (data.title) document.title = frame.title = data.title;
	if (!data.target) return;
	const refused = !interrupts && /\/(move-now|stop)$/.test(data.target);
	const answer = refused ? { status: 400, body: 'This browser cannot interrupt Ponnuki: wait until it is done.' } : ask(data.method, data.target, data.body);
	ports[0].postMessage(await answer);
});
addEventListener('popstate', () => show(location.hash.slice(1) || '/'));
worker.postMessage({ program: take('program') });
show('/');
