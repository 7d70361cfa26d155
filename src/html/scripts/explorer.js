// Lets people try the API out as themselves. The token is asked for by a form when the first request is sent, and is kept in a
// variable alone: what is shown, the address and the storage of the browser never have it.

/** Of what is left of a token, this much is not used any more. */
const SPARE_MS = 30_000;
/** What the call that is shown has in place of the token. */
const PLACEHOLDER = '$TOKEN';

const region = document.querySelector('[data-explorer]');
const state = document.querySelector('[data-explorer-state]');
const dark = matchMedia('(prefers-color-scheme: dark)');
let asked;

followColours();
dark.addEventListener('change', followColours);
start();

function followColours() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

async function start() {
  try {
    const answer = await fetch(region.dataset.document);
    if (!answer.ok) throw new Error(`The document was answered ${answer.status}.`);
    show(toOwnDocument(await answer.json()));
  } catch {
    say('The document could not be read. Reload the page.');
  }
}

function show(spec) {
  const explorer = globalThis.SwaggerUIBundle({
    spec,
    domNode: region,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    persistAuthorization: false,
    // The call that is shown is the one before the token is put in.
    showMutatedRequest: false,
    validatorUrl: null,
    requestInterceptor: addToken,
    responseInterceptor: forgetRefusedToken,
    plugins: [withoutSignIn],
    onComplete: () => explorer.preauthorizeApiKey('token', PLACEHOLDER),
  });
}

/** The document with this service as its server, the organization of the scope filled in, and a bearer token as its only scheme. */
function toOwnDocument(document) {
  const { openapi, info, tags, components, paths } = document;
  for (const parameter of listParameters(document)) fillIn(parameter);
  return {
    openapi,
    info,
    tags,
    paths,
    servers: [{ url: location.origin }],
    security: [{ token: [] }],
    components: { ...components, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

function listParameters({ components, paths }) {
  const operations = Object.values(paths).flatMap((path) => [path, ...Object.values(path)]);
  return [
    ...Object.values(components.parameters),
    ...operations.flatMap(({ parameters = [] }) => parameters),
  ];
}

/** The organization is known; the ids of the examples are those of nobody here. */
function fillIn(parameter) {
  delete parameter.examples;
  delete parameter.example;
  if (parameter.name === 'org_id') parameter.example = region.dataset.org;
}

/** Nobody has to sign in, and a stream of events would be collected without an end: the portal has a page for it. */
function withoutSignIn() {
  const nothing = () => () => null;
  return {
    wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing },
    statePlugins: {
      spec: {
        wrapSelectors: {
          allowTryItOutFor: (original) => (all, path, method) =>
            !path.endsWith('/notifications/events') && original(all, path, method),
        },
      },
    },
  };
}

async function addToken(request) {
  const { origin, pathname } = new URL(request.url, location.href);
  if (origin !== location.origin || !pathname.startsWith('/api/')) return request;
  if (request.headers.Authorization !== `Bearer ${PLACEHOLDER}`) return request;
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${await findToken()}` } };
}

async function findToken() {
  const known = await asked?.catch(() => undefined);
  if (known !== undefined && known.expiresMs - Date.now() > SPARE_MS) return known.token;
  asked = askForToken();
  return (await asked).token;
}

async function askForToken() {
  const form = document.querySelector('[data-explorer-form]');
  const answer = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form)),
    redirect: 'manual',
  });
  if (!answer.ok) {
    say('No token was given: the session has ended. Reload the page and log in.');
    throw new Error('No token was given.');
  }
  const { access_token: token, expires_at: expiresAt } = await answer.json();
  return { token, expiresMs: Date.parse(expiresAt) };
}

/** A token that was ended elsewhere is asked for anew with the next request. */
function forgetRefusedToken(response) {
  if (response.status === 401) asked = undefined;
  return response;
}

function say(text) {
  state.hidden = false;
  state.textContent = text;
}
