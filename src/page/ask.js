// Ask the program that has sent this page. Returns its answer, or an error that says why there
// is none.
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
