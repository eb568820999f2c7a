// Runs the program: loads it, is its system (WASI), and hands requests to it. Where the browser can
// suspend a running function, other requests are answered meanwhile.
'use strict';
const suspends = 'Suspending' in WebAssembly;
let program; // what it exports
let ready; // resolves once it is loaded
let input = new Uint8Array(0); // what is left on standard input
let output = ''; // what is on standard output
let busy = false; // is a function suspended?
let rested = 0; // when messages were last let in
const decoder = new TextDecoder();

const bytes = (at, length) => new Uint8Array(program.memory.buffer, at, length);
const view = () => new DataView(program.memory.buffer);

// Use each buffer in a list of them, and write the sum of what this returns.
function buffers(list, count, to, use) {
	let total = 0;
	for (let at = list; at < list + 8 * count; at += 8) {
		total += use(bytes(view().getUint32(at, true), view().getUint32(at + 4, true)));
	}
	view().setUint32(to, total, true);
	return 0;
}

const pause = new MessageChannel();
function rest() {
	// Nothing else can come in if the function cannot be suspended.
	if (!busy || performance.now() < rested + 30) return 0;
	return new Promise(resolve => {
		pause.port1.onmessage = () => {
			rested = performance.now();
			resolve(0);
		};
		pause.port2.postMessage(null);
	});
}

const system = {
	environ_get: () => 0,
	environ_sizes_get(count, size) {
		view().setUint32(count, 0, true);
		view().setUint32(size, 0, true);
		return 0;
	},
	clock_time_get(clock, precision, to) {
		const now = clock === 0 ? Date.now() : performance.now();
		view().setBigUint64(to, BigInt(Math.round(1e6 * now)), true);
		return 0;
	},
	random_get(to, length) {
		crypto.getRandomValues(bytes(to, length));
		return 0;
	},
	fd_read: (file, list, count, to) => buffers(list, count, to, buffer => {
		const part = input.subarray(0, buffer.length);
		buffer.set(part);
		input = input.subarray(part.length);
		return part.length;
	}),
	fd_write: (file, list, count, to) => buffers(list, count, to, buffer => {
		if (file === 1) output += decoder.decode(buffer, { stream: true });
		else console.error(decoder.decode(buffer.slice()));
		return buffer.length;
	}),
	sched_yield: suspends ? new WebAssembly.Suspending(rest) : () => 0,
	proc_exit(code) { throw new Error(`exit code ${code}`); },
};

async function load(text) {
	const packed = new Blob([Uint8Array.from(atob(text), c => c.charCodeAt(0))]);
	const unpacked = new Response(packed.stream().pipeThrough(new DecompressionStream('gzip')));
	const module = await WebAssembly.compile(await unpacked.arrayBuffer());
	// All other calls fail with error 8 (bad file descriptor): there are no files.
	const none = WebAssembly.Module.imports(module).map(({ name }) => [name, () => 8]);
	const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: { ...Object.fromEntries(none), ...system } });
	program = instance.exports;
	program.__wasm_call_ctors();
}

// Call a function that takes a while.
async function run(name) {
	if (!suspends) return program[name]();
	busy = true;
	await WebAssembly.promising(program[name])();
	busy = false;
}

async function answer({ number, method, target, body }) {
	const request = new Uint8Array(await new Blob([`${method} ${target}\n`, body]).arrayBuffer());
	await ready;
	input = request;
	if (method === 'GET' || busy) program.ponnuki_answer();
	else await run('ponnuki_answer');
	const end = output.indexOf('\n'), [status, kind] = output.slice(0, end).split(/ (.*)/);
	postMessage({ number, status: Number(status), kind, body: output.slice(end + 1) });
	output = '';
	if (!busy && method === 'POST') await run('ponnuki_work');
}

onmessage = async ({ data }) => {
	try {
		if (data.program) await (ready = load(data.program));
		else await answer(data);
	} catch (e) {
		postMessage({ broken: String(e) });
		throw e;
	}
};
