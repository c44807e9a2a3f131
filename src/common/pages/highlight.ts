/** Kinds of tokens in a piece of code; each has a color (`assets/components.css`). */
type Piece = 'comment' | 'string' | 'number' | 'keyword' | 'name';
type Grammar = readonly (readonly [Piece, RegExp])[];

const JS_WORDS =
  'as async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof interface let new null of return static switch this throw true try type typeof undefined var void while yield';
const PYTHON_WORDS =
  'and as assert async await class def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield';
const GO_WORDS =
  'break case chan const continue default defer else fallthrough false for func go if import interface map nil package range return select struct switch true type var';
const JAVA_WORDS =
  'abstract async await boolean break case catch class const continue do else enum extends false final finally for get if implements import in instanceof int interface internal long namespace new null override package private protected public readonly record return sealed set static string super switch this throw throws true try using var void while';
const SHELL_WORDS = 'case do done elif else esac exit export fi for function if in local return set then while';

const words = (list: string): RegExp => new RegExp(`\\b(?:${list.replaceAll(' ', '|')})\\b`);
const NUMBER = /\b\d[\d_]*(?:\.\d+)?\b/;
const DOUBLE = /"(?:\\.|[^"\\\n])*"/;
const SINGLE = /'(?:\\.|[^'\\\n])*'/;
const HASH_COMMENT = /(?<=^|\s)#[^\n]*/;
const SLASH_COMMENTS = /(?<!:)\/\/[^\n]*|\/\*[\s\S]*?\*\//;

const C_LIKE = (list: string): Grammar => [
  ['comment', SLASH_COMMENTS],
  ['string', new RegExp(`${DOUBLE.source}|${SINGLE.source}|\`(?:\\\\.|[^\`\\\\])*\``)],
  ['keyword', words(list)],
  ['number', NUMBER],
];
const PYTHON: Grammar = [
  ['comment', HASH_COMMENT],
  ['string', new RegExp(`"""[\\s\\S]*?"""|${DOUBLE.source}|${SINGLE.source}`)],
  ['keyword', words(PYTHON_WORDS)],
  ['number', NUMBER],
];
const SHELL: Grammar = [
  ['comment', HASH_COMMENT],
  // Can span several lines, as a JSON body does.
  ['string', /"(?:\\[\s\S]|[^"\\])*"|'[^']*'/],
  ['name', /\$\{\w+\}|\$\w+|^\w+(?==)|(?<=\s)--?[A-Za-z][\w-]*/m],
  ['keyword', words(SHELL_WORDS)],
];
const JSON_GRAMMAR: Grammar = [
  ['name', /"(?:\\.|[^"\\])*"(?=\s*:)/],
  ['string', DOUBLE],
  ['keyword', words('true false null')],
  ['number', /-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/],
];
const YAML: Grammar = [
  ['comment', HASH_COMMENT],
  ['name', /^[\s-]*[\w.-]+(?=:)/m],
  ['string', new RegExp(`${DOUBLE.source}|${SINGLE.source}`)],
  ['keyword', words('true false null')],
  ['number', NUMBER],
];

const JS = C_LIKE(JS_WORDS);
const GO = C_LIKE(GO_WORDS);
const JAVA = C_LIKE(JAVA_WORDS);
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  ...{ js: JS, ts: JS, go: GO, java: JAVA, cs: JAVA, csharp: JAVA, py: PYTHON, python: PYTHON },
  ...{ sh: SHELL, json: JSON_GRAMMAR, yaml: YAML },
};
const COMBINED = new Map(Object.entries(GRAMMARS).map(([language, grammar]) => [language, combined(grammar)]));

/** One expression with a named group for each kind; the first match at a position wins. */
function combined(grammar: Grammar): RegExp {
  return new RegExp(grammar.map(([piece, { source }]) => `(?<${piece}>${source})`).join('|'), 'gm');
}

/** A snippet of code as HTML, highlighted on the server; the escaped text if the language is unknown. */
export function highlighted(code: string, language: string): string {
  const expression = COMBINED.get(language);
  if (!expression) return escaped(code);
  let html = '';
  let end = 0;
  for (const match of code.matchAll(expression)) {
    const [piece] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!;
    html += `${escaped(code.slice(end, match.index))}<span class="code-${piece}">${escaped(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escaped(code.slice(end));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
