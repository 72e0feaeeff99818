/**
 * Makes untrusted text safe to stand in the block. Fixed order (design: The block): repair ill-formed Unicode → drop
 * control, ANSI/OSC, bidi, zero-width, tag and private-use characters → neutralise what looks like our frame, a
 * harness tag or a role marker. Idempotent: what comes out stays as it is. Tags are escaped, never removed, so that
 * `</sys</system-reminder>tem-reminder>` cannot close up into a tag. Every expression is linear in the text.
 */

/** Terminal sequences, whole where they are terminated; an unterminated one loses its escape character only. */
const ANSI =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-OQ-WYZ`-~]/g;

/**
 * What cannot be seen: default-ignorable characters (zero-width, bidi, tags, fillers, variation selectors), private
 * use, noncharacters, interlinear annotation. Written out, since the property escapes cost 0.7 ms to compile; a test
 * compares the ranges with the properties. U+200D and U+FE0F are the business of JOINERS.
 */
const INVISIBLE =
  /[\ufe00-\ufe0e\u034f\u180b-\u180f\u17b4\u17b5\xad\u061c\u115f\u1160\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ue000-\uf8ff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu;
/** The last two code points of the planes above the first are noncharacters as well. */
const NONCHARACTERS =
  /[\ud83f\ud87f\ud8bf\ud8ff\ud93f\ud97f\ud9bf\ud9ff\uda3f\uda7f\udabf\udaff\udb3f\udb7f][\udffe\udfff]/g;
/** Kept: the emoji selector right behind a character that takes one, and the joiner between two emoji. */
const JOINERS =
  /(?<![\p{Extended_Pictographic}#*0-9])\ufe0f|(?<!\p{Extended_Pictographic}(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

/** Whether there may be a combining mark: a superset of \p{M}, cheap to compile; a test compares. */
const MARKS =
  /[\u0300-\u036f\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe2f\u0483-\u0489\u0591-\u1cff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\uabff\ufb1e\ud800\ud802-\ud83b\udb40]/;
/** Four combining marks a base suffice for every living script; more paint over the lines around. */
const ZALGO = /(\p{M}{4})\p{M}+/gu;
/** Marks without a base of their own would combine with whatever the renderer puts before them. */
const NO_BASE = /^[\s\p{M}]+|(?<=\n)\p{M}+/gu;

/** Every `<` except that of `<=`, `<-` and of a comparison with a number. */
const TAG = /<(?![ \t]*[=\d-])/g;
/** Characters that look like `<` and quote nothing, except as brackets of East Asian headings and in comparisons. */
const LOOKALIKE =
  /[\uff1c\ufe64\u02c2\u1438\u276c\u276e\u2770\u27e8](?![\u0300-\u036f \t\u3000]*[=\d\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3-])/g;
/** Quotation marks that look like `<`, before a name that a client or a chat template gives meaning to. */
const QUOTE =
  /[\u2039\u2329\u3008\u00ab\u300a\u27ea\u22d6\u2991\u29fc\u227a](?=[\u0300-\u036f\s/!?|／｜]*(?:antml|assistant|developer|function|hook|human|im_|instruction|message|preturn|prompt|system|tool|user))/gi;
/** Chat templates in square brackets. */
const BRACKET = /\[(?=[\s/]*(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\s*\])/gi;
/** At the start of a line: role markers, the words clients put before a hook's text, and our own closing words. */
const ROLE =
  /^(?=[ \t\u3000#*_`~([-]*(?:(?:human|assistant|system|user|developer|tool)[ \t\])*_`~]*[:：]|\w{1,40}[ \t]+hook[ \t]+(?:additional|success|error)|receipt[ \t]+[a-z0-9]{12}|end[ \t]+of[ \t]+(?:the[ \t]+)?mail))/gim;
/** One of the two may be in a text that was put in lower case. They ignore case, which costs 0.5 ms to set up. */
const MARKER =
  /(?:inst|sys|system_prompt|tools|tool_calls|tool_results)\s*\]|(?:human|assistant|system|user|developer|tool)[ \t\])*_`~]*[:：]|hook|receipt|mail/;

const UNUSUAL = /[^\n\t\x20-\x7e]/;
const JOINER = /[\u200d\ufe0f]/;
const NOT_ASCII = /[^\0-\x7f]/;

/** Untrusted text of several lines, made safe. Line ends become `\n`, unusual spaces plain ones; outer ones go. */
export function sanitizeText(text: string): string {
  let s = text;
  if (UNUSUAL.test(s)) {
    // Ill-formed surrogates first: a later step could otherwise join two halves into a character.
    s = s
      .replace(/\p{Cs}/gu, '\ufffd')
      .replace(/\r\n?|[\v\f\x85\u2028\u2029]/g, '\n')
      .replace(ANSI, '')
      .replace(/[\0-\x08\x0e-\x1f\x7f-\x9f]/g, '');
    if (NOT_ASCII.test(s)) {
      s = s
        .replace(/[\xa0\u1680\u2000-\u200a\u202f\u205f]/g, ' ')
        .replace(NONCHARACTERS, '')
        .replace(INVISIBLE, '');
      if (JOINER.test(s)) s = s.replace(JOINERS, '');
      if (MARKS.test(s)) s = s.replace(ZALGO, '$1').replace(NO_BASE, '');
      s = s.replace(LOOKALIKE, '&lt;').replace(QUOTE, '&lt;');
    }
  }
  s = s.trim();
  // An expression that is not used costs nothing; one that is costs 0.1 ms to compile.
  if (s.includes('<')) s = s.replace(TAG, '&lt;');
  return MARKER.test(s.toLowerCase()) ? s.replace(BRACKET, '&#91;').replace(ROLE, '> ') : s;
}

/** Untrusted text for an attribute or a single line: as above, and without line ends, double quotes and brackets. */
export function sanitizeLine(text: string): string {
  if (/^[\w.@/-]*$/.test(text)) return text;
  const line = sanitizeText(text.replace(/[\s\x85]+/g, ' '));
  return line.replace(/["“”„‟＂<>]| {2,}/g, c => (c === '<' ? '&lt;' : c === '>' ? '&gt;' : c[0] === ' ' ? ' ' : "'"));
}
