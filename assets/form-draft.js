// An operator who saves a form may first have to sign in again. This tab keeps what they typed meanwhile, and puts it
// back into the form. Passwords and other secrets, files and hidden fields are not kept.
/* global document, Event, FormData, window */
'use strict';

const DRAFT = 'form-draft';
const MAX_AGE_MS = 15 * 60_000;
const MAX_CHARACTERS = 64 * 1024;
const NOT_KEPT = '[type=hidden], [type=password], [type=file], [data-secret] *';

const operator = document.body.dataset.operator;
const draft = stored(() => JSON.parse(window.sessionStorage.getItem(DRAFT)));

const confirmation = document.querySelector('[data-keeps-draft]');
if (confirmation) {
  if (draft) store({ ...draft, isAwaited: true });
  confirmation.hidden = draft === null;
} else {
  stored(() => window.sessionStorage.removeItem(DRAFT));
  const isValid = draft?.isAwaited && draft.operator === operator && Date.now() - draft.at < MAX_AGE_MS;
  const form = isValid && postForms().find((each) => each.getAttribute('action') === draft.action);
  if (form) restore(form, draft.entries);
  for (const each of postForms()) each.addEventListener('submit', () => keep(each));
}

function postForms() {
  return [...document.querySelectorAll('.console main form[method=post]')];
}

function fieldsOf(form) {
  return [...form.elements].filter((field) => field.name && !field.matches(`button, ${NOT_KEPT}`));
}

function keep(form) {
  const names = new Set(fieldsOf(form).map(({ name }) => name));
  const entries = [...new FormData(form)].filter(([name]) => names.has(name));
  store({ operator, action: form.getAttribute('action'), at: Date.now(), entries });
}

function restore(form, entries) {
  const left = [...entries];
  const take = (isWanted) => {
    const index = left.findIndex(isWanted);
    return index < 0 ? null : left.splice(index, 1)[0];
  };
  for (const field of fieldsOf(form)) {
    const { name, type } = field;
    if (type === 'checkbox' || type === 'radio') {
      field.checked = take(([key, value]) => key === name && value === field.value) !== null;
    } else {
      const entry = take(([key]) => key === name);
      if (entry) field.value = entry[1];
    }
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }
  const notice = document.createElement('p');
  Object.assign(notice, {
    className: 'notice',
    tabIndex: -1,
    textContent: 'Not saved yet. Check your changes, then save them.',
  });
  form.prepend(notice);
  notice.focus();
}

function store(value) {
  const text = JSON.stringify(value);
  if (text.length <= MAX_CHARACTERS) stored(() => window.sessionStorage.setItem(DRAFT, text));
}

/** Some browsers are set to refuse to store anything. */
function stored(use) {
  try {
    return use();
  } catch {
    return null;
  }
}
