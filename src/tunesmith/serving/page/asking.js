// Requests to the server, and what goes wrong with them, which is said on the page.

export const at = (id) => document.getElementById(id);
let token = "";

export function useToken(given) {
  token = given;
}

export async function ask(path, body) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body === undefined ? "GET" : "POST", headers,
    body: body === undefined ? undefined : JSON.stringify(body) }).catch(() => null);
  if (!answer) throw new Error("The server does not answer. Is it still running?");
  if (answer.status === 401) at("token-form").hidden = false;
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({ error: `The server answered with status ${answer.status}.` }));
    throw new Error(said.error);
  }
  const kind = answer.headers.get("content-type") ?? "";
  return kind.startsWith("application/json") ? answer.json() : answer.text();
}

// Run an action. What goes wrong is said on the page.
export function doing(action) {
  return async (event) => {
    if (event) event.preventDefault();
    at("problem").hidden = true;
    try {
      await action(event);
    } catch (error) {
      at("problem").textContent = error.message;
      at("problem").hidden = false;
    }
  };
}

// Of several requests for one place on the page, the answer of the last one counts: null for the others.
export function latest() {
  let last = 0;
  return async (place, promise) => {
    const mine = (last += 1);
    place.setAttribute("aria-busy", "true");
    try {
      const answer = await promise;
      return mine === last ? answer : null;
    } catch (error) {
      if (mine === last) throw error;
      return null;
    } finally {
      if (mine === last) place.setAttribute("aria-busy", "false");
    }
  };
}
