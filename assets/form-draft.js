// An operator who saves a form may first have to sign in again. This tab keeps what they typed meanwhile, and puts it
// back into the form. Passwords and other secrets, files and hidden fields are not kept.
/* global document, Event, FormData, queueMicrotask, window */
'use strict';

const DRAFT = 'form-draft';
const MAX_AGE_MS = 15 * 60_000;
const MAX_CHARACTERS = 64 * 1024;
// A password that is shown has another type, so its field is marked, too.
const NOT_KEPT = '[type=hidden], [type=password], [type=file], [data-secret] *';

const operator = document.body.dataset.operator;
const draft = stored(() => JSON.parse(window.sessionStorage.getItem(DRAFT)));

switch (document.querySelector('[data-draft]')?.dataset.draft) {
  case 'awaited': {
    // The page that asks for the sign-in.
    if (draft) store({ ...draft, at: Date.now(), isAwaited: true });
    document.querySelector('[data-draft]').hidden = draft === null;
    break;
  }
  case 'reviewed':
    // The page on which the change is reviewed: the draft is that of the form before it.
    break;
  default: {
    forget();
    const isValid = draft?.isAwaited && draft.operator === operator && Date.now() - draft.at < MAX_AGE_MS;
    const form = isValid && postForms().find((each) => each.getAttribute('action') === draft.action);
    if (form) restore(form, draft);
    for (const each of postForms()) each.addEventListener('submit', () => keep(each));
  }
}

function postForms() {
  return [...document.querySelectorAll('.console main form[method=post]')];
}

function fieldsOf(form) {
  return [...form.elements].filter((field) => field.name && !field.matches(`button, ${NOT_KEPT}`));
}

function keep(form) {
  const names = [...new Set(fieldsOf(form).map(({ name }) => name))];
  if (names.length === 0) return forget();
  const entries = [...new FormData(form)].filter(([name]) => names.includes(name));
  store({ operator, action: form.getAttribute('action'), at: Date.now(), names, entries });
}

/** Fields whose name was not in the form that was sent stay as they are. */
function restore(form, { names, entries }) {
  const left = [...entries];
  const take = (isWanted) => {
    const index = left.findIndex(isWanted);
    return index < 0 ? null : left.splice(index, 1)[0];
  };
  for (const field of fieldsOf(form).filter(({ name }) => names.includes(name))) {
    const { name, type } = field;
    if (type === 'checkbox' || type === 'radio') {
      field.checked = take(([key, value]) => key === name && value === field.value) !== null;
    } else {
      const entry = take(([key]) => key === name);
      if (entry) field.value = entry[1];
    }
    // After page.js, which listens to them.
    queueMicrotask(() => {
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
    });
  }
  const notice = document.createElement('p');
  const textContent = 'Not saved yet. Check your changes, then save them.';
  Object.assign(notice, { className: 'notice', tabIndex: -1, textContent });
  form.prepend(notice);
  notice.focus();
}

function store(value) {
  const text = JSON.stringify(value);
  if (text.length > MAX_CHARACTERS) return forget();
  stored(() => window.sessionStorage.setItem(DRAFT, text));
}

function forget() {
  stored(() => window.sessionStorage.removeItem(DRAFT));
}

/** Some browsers are set to refuse to store anything. */
function stored(use) {
  try {
    return use();
  } catch {
    return null;
  }
}
