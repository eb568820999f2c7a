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
