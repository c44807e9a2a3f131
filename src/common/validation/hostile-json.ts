import type { InputFault } from './invalid-input.js';

const MAX_DEPTH = 32;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The parameters of a query or form whose names reach no prototype. */
export function withoutForbiddenNames(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !FORBIDDEN_KEYS.has(name)));
}

/**
 * Finds values that no field decorator would check: excessive depth, keys that reach prototypes, NUL and lone
 * surrogates (PostgreSQL accepts neither), numbers beyond a double. @returns the first fault, or null
 */
export function findHostileValue(value: unknown, loc: readonly (string | number)[], depth = 0): InputFault | null {
  if (typeof value === 'string') return judgeText(value, loc);
  if (typeof value === 'number' && !Number.isFinite(value))
    return { loc, msg: 'Value is not a finite number', type: 'value_error' };
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH)
    return { loc: loc.slice(0, 4), msg: `Nesting deeper than ${MAX_DEPTH} levels`, type: 'json_invalid' };
  for (const key of Object.keys(value)) {
    const here = [...loc, Array.isArray(value) ? Number(key) : key];
    if (FORBIDDEN_KEYS.has(key)) return { loc: here, msg: 'Extra inputs are not permitted', type: 'extra_forbidden' };
    const bad = judgeText(key, loc) ?? findHostileValue((value as Record<string, unknown>)[key], here, depth + 1);
    if (bad) return bad;
  }
  return null;
}

function judgeText(text: string, loc: readonly (string | number)[]): InputFault | null {
  if (text.includes('\0')) return { loc, msg: 'NUL characters are not permitted', type: 'value_error' };
  if (!text.isWellFormed()) return { loc, msg: 'Text is not well-formed Unicode', type: 'value_error' };
  return null;
}
