const FILES_BETWEEN_LINES = 20;

/** Tells which project is running and how far it is. */
export class Progress {
  #projects = new Map();

  constructor(tests) {
    for (const test of tests) {
      const name = nameOf(test);
      const known = this.#projects.get(name) ?? { total: 0, started: 0, done: 0 };
      this.#projects.set(name, { ...known, total: known.total + 1 });
    }
  }

  started(test) {
    const project = this.#projects.get(nameOf(test));
    if (project.started++ > 0) return;
    project.startedAt = Date.now();
    say(`${nameOf(test)}: ${files(project.total)} to run`);
  }

  finished(test) {
    const project = this.#projects.get(nameOf(test));
    project.done++;
    if (project.done % FILES_BETWEEN_LINES > 0 && project.done < project.total) return;
    const seconds = Math.round((Date.now() - project.startedAt) / 1_000);
    say(`${nameOf(test)}: ${project.done} of ${files(project.total)} done after ${seconds} s`);
  }
}

function nameOf({ context }) {
  return context.config.displayName.name;
}

function files(count) {
  return count === 1 ? '1 file' : `${count} files`;
}

function say(line) {
  process.stderr.write(`-- ${line}\n`);
}
