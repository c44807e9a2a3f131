const GLOBALS = new URL('./globals.js', import.meta.url).href;

/** The package itself only tells that it is to be imported under jest's own runner. */
export function resolve(specifier, context, next) {
  return specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context);
}
