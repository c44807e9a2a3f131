// Additions for browsers with scripts. Every page works without this file.
/* global document, Element, Event, location, navigator, window */
'use strict';

// Browsers that do not know autofocus on an element other than a field.
document.querySelector('[data-error-summary]')?.focus();

for (const button of document.querySelectorAll('button[data-show-password]')) {
  const input = document.getElementById(button.getAttribute('aria-controls'));
  const text = button.textContent;
  const label = button.getAttribute('aria-label');
  const show = (visible) => {
    input.type = visible ? 'text' : 'password';
    button.textContent = visible ? button.dataset.hide : text;
    button.setAttribute('aria-label', visible ? button.dataset.hideLabel : label);
  };
  button.addEventListener('click', () => {
    show(input.type === 'password');
    input.focus();
  });
  // A visible password would otherwise be kept by the browser as form history.
  input.form.addEventListener('submit', () => show(false));
  button.hidden = false;
}

for (const hint of document.querySelectorAll('[data-caps-lock]')) {
  const input = document.getElementById(hint.dataset.capsLock);
  const look = (event) => {
    const on = event.getModifierState?.('CapsLock') ? hint.dataset.capsLockText : '';
    if (hint.textContent !== on) hint.textContent = on;
  };
  input.addEventListener('keydown', look);
  input.addEventListener('keyup', look);
  input.addEventListener('blur', () => (hint.textContent = ''));
}

// A second click while the first is under way would spend one of the few sign-in attempts.
for (const form of document.querySelectorAll('form[data-once]')) {
  let sent = false;
  form.addEventListener('submit', (event) => {
    if (sent) event.preventDefault();
    sent = true;
    event.submitter?.setAttribute('aria-busy', 'true');
  });
  window.addEventListener('pageshow', () => {
    sent = false;
    for (const busy of form.querySelectorAll('[aria-busy]')) busy.removeAttribute('aria-busy');
  });
}

// A box that must be ticked, with a message of the page in place of the browser's.
for (const form of document.querySelectorAll('form[data-must-tick]')) {
  const [box, line] = [form.querySelector('input[type="checkbox"]'), form.querySelector('.field-error')];
  const say = (text) => {
    line.textContent = text;
    if (text) box.setAttribute('aria-invalid', 'true');
    else box.removeAttribute('aria-invalid');
  };
  form.noValidate = true;
  box.addEventListener('change', () => say(''));
  form.addEventListener('submit', (event) => {
    if (box.checked) return;
    event.preventDefault();
    say(form.dataset.mustTick);
    box.focus();
  });
}

const announcer = document.querySelector('[data-announcer]');
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('button[data-copy]')) {
    const text = button.textContent;
    const hasIcon = button.querySelector('.icon') !== null;
    const show = (isCopied) => {
      button.classList.toggle('copied', isCopied);
      if (!hasIcon) button.textContent = isCopied ? (button.dataset.copied ?? 'Copied') : text;
    };
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      show(true);
      if (announcer) announcer.textContent = `${button.getAttribute('aria-label')}: done`;
      setTimeout(() => show(false), 2000);
    });
    button.hidden = false;
  }
}

for (const button of document.querySelectorAll('button[data-print]')) {
  button.addEventListener('click', () => window.print());
  button.hidden = false;
}

// The exact time of this place beside UTC.
for (const time of document.querySelectorAll('time[datetime][title]')) {
  const at = new Date(time.dateTime);
  const local = at.toLocaleString(document.documentElement.lang || 'en', { dateStyle: 'medium', timeStyle: 'medium' });
  if (!Number.isNaN(at.getTime())) time.title = `${local} (local time) · ${time.title}`;
}

// What was just done is read out, and leaves after a while; warnings stay until they are dismissed.
const TOAST_MS = 8000;
const ANNOUNCE_MS = 200;
for (const toast of document.querySelectorAll('[data-toasts] > *')) {
  // A live region that is filled from the start stays silent: what is put into it later is read out.
  setTimeout(() => toast.parentElement?.append(toast), ANNOUNCE_MS);
  const button = toast.querySelector('[data-dismiss]');
  button?.addEventListener('click', () => toast.remove());
  if (button) button.hidden = false;
  const leave = () => setTimeout(() => (toast.matches(':hover, :focus-within') ? leave() : toast.remove()), TOAST_MS);
  if (!toast.classList.contains('warning')) leave();
}

// A menu closes by a click elsewhere and by Escape.
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (!menu.contains(target)) menu.open = false;
  }
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    menu.open = false;
    menu.querySelector('summary').focus();
  }
});

// All rows of a page are selected at once, and the selected ones are counted.
for (const all of document.querySelectorAll('[data-select-all]')) {
  const form = all.closest('form');
  const [box, count] = [all.querySelector('input'), form.querySelector('[data-selection-count]')];
  const boxes = [...document.querySelectorAll('.pick input')].filter((each) => each.form === form);
  const show = () => {
    const selected = boxes.filter((each) => each.checked).length;
    count.textContent = selected > 0 ? count.dataset.words.replace('#', String(selected)) : '';
    box.checked = selected > 0 && selected === boxes.length;
    box.indeterminate = selected > 0 && selected < boxes.length;
  };
  for (const each of boxes) each.addEventListener('change', show);
  box.addEventListener('change', () => {
    for (const each of boxes) each.checked = box.checked;
    show();
  });
  window.addEventListener('pageshow', show);
  all.hidden = false;
  show();
}

// What must be typed before something is done for good: until then its button waits.
for (const form of document.querySelectorAll('form[data-type-to-confirm]')) {
  const [input, button] = [form.elements.confirm_name, form.querySelector('button[type=submit]')];
  const look = () => (button.disabled = input.value.trim() !== form.dataset.typeToConfirm.trim());
  input.addEventListener('input', look);
  window.addEventListener('pageshow', look);
  look();
}

// After an act the page is where it was, and the form that was saved says so.
const SENT_FORM = 'sent-form';
const sentForm = JSON.parse(kept(() => window.sessionStorage.getItem(SENT_FORM)) ?? 'null');
kept(() => window.sessionStorage.removeItem(SENT_FORM));
if (sentForm?.path === location.pathname && document.querySelector('[data-toasts] .done')) {
  window.scrollTo({ top: sentForm.top, behavior: 'instant' });
  const form = [...document.forms].find((each) => each.getAttribute('action') === sentForm.action);
  const isSaved = form?.querySelector('input:not([type=hidden]), select, textarea');
  const button = isSaved && form.querySelector('button[type=submit]');
  button?.insertAdjacentHTML('afterend', ' <span class="note">Saved</span>');
}
for (const form of document.querySelectorAll('.console main form[method=post]')) {
  form.addEventListener('submit', () => {
    const sent = { path: location.pathname, action: form.getAttribute('action'), top: window.scrollY };
    kept(() => window.sessionStorage.setItem(SENT_FORM, JSON.stringify(sent)));
  });
}

/** Some browsers are set to refuse to keep anything. */
function kept(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

// A field with a line for each becomes a list of fields; the text area is what is sent. The first field takes its id, so
// that the label and links to an error lead there.
for (const area of document.querySelectorAll('textarea[data-list]')) {
  const { id } = area;
  const label = document.querySelector(`label[for="${id}"]`).textContent;
  const list = document.createElement('div');
  list.className = 'list-editor';
  const button = (text, press) => {
    const made = document.createElement('button');
    Object.assign(made, { type: 'button', className: 'quiet', textContent: text });
    made.addEventListener('click', press);
    return made;
  };
  const inputs = () => [...list.querySelectorAll('input')];
  const more = button(`Add ${area.dataset.list}`, () => add('').focus());
  const name = () => {
    inputs().forEach((input, index) => {
      input.id = index === 0 ? id : '';
      if (index === 0) input.removeAttribute('aria-label');
      else input.setAttribute('aria-label', `${label}, number ${index + 1}`);
    });
  };
  const save = () => {
    area.value = inputs()
      .map(({ value }) => value)
      .join('\n');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const add = (value) => {
    const row = document.createElement('div');
    const input = document.createElement('input');
    Object.assign(input, { type: 'text', value, autocomplete: 'off', autocapitalize: 'none', spellcheck: false });
    for (const each of ['aria-describedby', 'aria-invalid'])
      if (area.hasAttribute(each)) input.setAttribute(each, area.getAttribute(each));
    row.append(
      input,
      button('Remove', () => {
        row.remove();
        if (inputs().length === 0) add('');
        name();
        save();
        more.focus();
      }),
    );
    list.insertBefore(row, more);
    name();
    input.addEventListener('input', save);
    input.addEventListener('paste', (event) => {
      const lines = event.clipboardData
        .getData('text')
        .split(/\s*\n\s*/)
        .filter(Boolean);
      if (lines.length < 2) return;
      event.preventDefault();
      input.value = lines[0];
      for (const line of lines.slice(1)) add(line);
      save();
    });
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      add('').focus();
    });
    return input;
  };
  list.append(more);
  area.id = `${id}-lines-sent`;
  area.hidden = true;
  document.getElementById(`${id}-lines`)?.remove();
  for (const line of area.value.split('\n')) add(line);
  area.after(list);
}

// A color can be typed as well: the field beside it follows it and leads it.
for (const picker of document.querySelectorAll('input[type="color"]')) {
  const [code, error] = [document.createElement('input'), document.createElement('span')];
  Object.assign(code, { type: 'text', className: 'color-code', autocomplete: 'off', spellcheck: false, maxLength: 7 });
  code.value = picker.value;
  code.setAttribute('aria-label', `${picker.labels[0].textContent}, hex code`);
  code.setAttribute('aria-describedby', picker.getAttribute('aria-describedby'));
  error.className = 'field-error';
  document.getElementById(picker.getAttribute('aria-describedby')).prepend(error);
  const digits = () => /^#?([0-9a-f]{6})$/i.exec(code.value.trim())?.[1].toLowerCase();
  const judge = () => {
    if (digits()) code.removeAttribute('aria-invalid');
    else code.setAttribute('aria-invalid', 'true');
    error.textContent = digits() ? '' : `Enter six hex digits, like ${picker.value}. `;
  };
  picker.addEventListener('input', () => {
    code.value = picker.value;
    judge();
  });
  code.addEventListener('input', () => {
    if (digits()) picker.value = `#${digits()}`;
    if (digits()) judge();
  });
  code.addEventListener('change', judge);
  picker.form.addEventListener(
    'submit',
    (event) => {
      if (digits()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      judge();
      code.focus();
    },
    true,
  );
  picker.after(code);
}

// The order of rows: a button moves its row up.
for (const button of document.querySelectorAll('button[data-move-up]')) {
  button.addEventListener('click', (event) => {
    event.preventDefault();
    const row = button.closest('[data-row]');
    const before = row.previousElementSibling;
    if (!before?.querySelector('[data-move-up]')) return;
    before.before(row);
    button.focus();
    button.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

// A long form says when there is something to save.
for (const bar of document.querySelectorAll('.save-bar')) {
  bar.closest('form')?.addEventListener('input', () => bar.classList.add('unsaved'));
}

for (const link of document.querySelectorAll('a[data-focuses]')) {
  link.addEventListener('click', () => setTimeout(() => document.getElementById(link.dataset.focuses).focus()));
}

// On a narrow screen a row of tabs begins where the current one is in sight.
for (const tab of document.querySelectorAll('.tabs [aria-current="page"]')) {
  const row = tab.closest('.tabs');
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// A choice in a filter is applied at once, with the keyboard after a pause, and keeps the focus. Text waits for its button.
const CHOSEN_FILTER = 'chosen-filter';
const CHOOSING_MS = 700;
const chosenFilter = JSON.parse(kept(() => window.sessionStorage.getItem(CHOSEN_FILTER)) ?? 'null');
kept(() => window.sessionStorage.removeItem(CHOSEN_FILTER));
if (chosenFilter?.path === location.pathname) {
  window.scrollTo({ top: chosenFilter.top, behavior: 'instant' });
  document.getElementById(chosenFilter.id)?.focus({ preventScroll: true });
}
for (const form of document.querySelectorAll('form[data-filter]')) {
  let timer;
  let isByKey = false;
  form.addEventListener('keydown', () => (isByKey = true));
  form.addEventListener('pointerdown', () => (isByKey = false));
  form.addEventListener('change', ({ target }) => {
    if (!target.matches('select')) return;
    clearTimeout(timer);
    const apply = () => {
      const chosen = { path: location.pathname, id: target.id, top: window.scrollY };
      kept(() => window.sessionStorage.setItem(CHOSEN_FILTER, JSON.stringify(chosen)));
      form.requestSubmit();
    };
    timer = setTimeout(apply, isByKey ? CHOOSING_MS : 0);
  });
  form.addEventListener('submit', () => clearTimeout(timer));
  // Back from another choice, the fields show what the list shows.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted || window.performance.getEntriesByType('navigation')[0]?.type === 'back_forward') form.reset();
  });
}

// A slash goes to the search, unless somebody is typing.
const search = document.querySelector('[data-search-key]');
if (search) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
}

// What is found appears below the field while you type; Enter opens the page with all of it.
const TYPING_MS = 250;
for (const panel of document.querySelectorAll('[data-instant]')) {
  const input = document.getElementById(panel.dataset.instant);
  let asked;
  const close = () => {
    clearTimeout(asked);
    panel.hidden = true;
  };
  const ask = async () => {
    const text = input.value.trim();
    if (text.length < 2) return close();
    const url = `${input.form.getAttribute('action')}?${new URLSearchParams({ q: text })}`;
    const answer = await fetch(url, { headers: { 'HX-Request': 'true' }, redirect: 'error' }).catch(() => null);
    // Something else was typed meanwhile, or the field was left.
    if (!answer?.ok || input.value.trim() !== text || !input.form.contains(document.activeElement)) return;
    panel.innerHTML = await answer.text();
    panel.hidden = false;
  };
  input.addEventListener('input', () => {
    clearTimeout(asked);
    asked = setTimeout(ask, TYPING_MS);
  });
  input.form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!input.form.contains(relatedTarget)) close();
  });
  input.form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || panel.hidden) return;
    event.preventDefault();
    const stops = [input, ...panel.querySelectorAll('a')];
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  });
}

// What is shown once is gone after this page: leaving it asks, until it was copied.
const shownOnce = document.querySelector('[data-ask-before-leaving]');
if (shownOnce) {
  const ask = (event) => event.preventDefault();
  window.addEventListener('beforeunload', ask);
  for (const button of shownOnce.querySelectorAll('button[data-copy]')) {
    button.addEventListener('click', () => window.removeEventListener('beforeunload', ask));
  }
}
