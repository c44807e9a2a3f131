import { readdirSync, readFileSync } from 'node:fs';

const MS_PER_TICK = 10;

/** CPU milliseconds (user and system) that these processes and all below them have used so far, the ended ones too. */
export function cpuOf(roots) {
  const ticks = below(roots).reduce((sum, { fields }) => sum + fields.slice(11, 15).map(Number).reduce(add), 0);
  return ticks * MS_PER_TICK;
}

/** Proportional set size in megabytes of these processes and all below them: a shared page counts once. */
export function memoryOf(roots) {
  const kilobytes = below(roots).map(({ pid }) => {
    const rollup = read(`/proc/${pid}/smaps_rollup`) ?? '';
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  });
  return kilobytes.reduce(add, 0) / 1024;
}

function below(roots) {
  const processes = new Map();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? read(`/proc/${entry}/stat`) : null;
    if (stat !== null) processes.set(Number(entry), stat.slice(stat.lastIndexOf(')') + 2).split(' '));
  }
  const belongs = (pid) => {
    for (let at = pid; at > 1; at = Number(processes.get(at)?.[1] ?? 0)) if (roots.includes(at)) return true;
    return false;
  };
  return [...processes].filter(([pid]) => belongs(pid)).map(([pid, fields]) => ({ pid, fields }));
}

function read(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null; // It has ended since the folder was listed.
  }
}

function add(a, b) {
  return a + b;
}
