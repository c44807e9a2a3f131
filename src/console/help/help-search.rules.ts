import type { HelpArticle } from './help-article.js';

/** A part of a text; `hit` if it matches the search. */
export interface TextPart {
  readonly text: string;
  readonly hit: boolean;
}

export interface HelpMatch {
  readonly article: HelpArticle;
  readonly title: readonly TextPart[];
  readonly excerpt: readonly TextPart[];
}

const WEIGHT = { wholeTitle: 40, title: 12, heading: 5, summary: 3, text: 1 } as const;
/** Further occurrences do not increase the rank. */
const MAX_COUNTED = 5;
const MAX_WORDS = 8;
const EXCERPT = 160;
const MAX_RESULTS = 20;

/** The distinct words of a query in lower case. */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.#+-]*/gu) ?? [];
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** Articles that contain every word, at the beginning of a word or inside one; best match first. */
export function searchHelp(articles: readonly HelpArticle[], query: string): HelpMatch[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return articles
    .map((article) => ({ article, score: scoreOf(article, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ article }) => ({
      article,
      title: highlight(article.title, words),
      excerpt: highlight(excerptOf(article, words), words),
    }));
}

function scoreOf(article: HelpArticle, words: readonly string[]): number {
  const title = article.title.toLowerCase();
  const whole = words.join(' ') === title ? WEIGHT.wholeTitle : 0;
  const scores = words.map((word) => scoreOfWord(article, title, word));
  return scores.includes(0) ? 0 : whole + scores.reduce((sum, score) => sum + score, 0);
}

function scoreOfWord(article: HelpArticle, title: string, word: string): number {
  const holds = (text: string): boolean => text.toLowerCase().includes(word);
  const mentions = Math.min(article.text.toLowerCase().split(word).length - 1, MAX_COUNTED);
  return (
    (title.includes(word) ? WEIGHT.title : 0) +
    (article.headings.some(holds) ? WEIGHT.heading : 0) +
    (holds(article.summary) ? WEIGHT.summary : 0) +
    mentions * WEIGHT.text
  );
}

/** Text around the first match, cut at blanks; the summary if only the title matches. */
function excerptOf({ text, summary }: HelpArticle, words: readonly string[]): string {
  const flat = text.replace(/\s+/g, ' ');
  const places = words.map((word) => flat.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  if (places.length === 0) return summary;
  const at = Math.min(...places);
  const start = at < EXCERPT / 2 ? 0 : flat.indexOf(' ', at - EXCERPT / 2) + 1;
  const piece = flat.slice(start, start + EXCERPT);
  const end = start + EXCERPT < flat.length ? piece.lastIndexOf(' ') : piece.length;
  return `${start > 0 ? '… ' : ''}${piece.slice(0, end)}${start + EXCERPT < flat.length ? ' …' : ''}`;
}

/** The text in parts, in order. */
export function highlight(text: string, words: readonly string[]): TextPart[] {
  if (words.length === 0) return [{ text, hit: false }];
  const any = new RegExp(`(${words.map(literally).join('|')})`, 'giu');
  return text
    .split(any)
    .map((piece, index) => ({ text: piece, hit: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

function literally(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
