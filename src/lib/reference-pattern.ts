/**
 * The pattern of references in text: people and teams (`@ada`, `@acme/core`), issues and pull
 * requests (`#12`, `acme/site#12`) and commits by id. Pages and notifications use the same one, and
 * the thread that renders Markdown loads nothing else for it.
 */

const mention = String.raw`(?<![\w@/.+-])@([a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?)(?:/([a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?))?(?![\w@/-])`
const number = String.raw`(?<![\w/.#&;-])([\w-]{1,39}/[\w.-]{1,100})?#([1-9]\d{0,8})(?!\w)`
const commit = String.raw`(?<![\w/.#&;@-])(?:([\w-]{1,39}/[\w.-]{1,100})@)?([0-9a-f]{7,40}|[0-9a-f]{64})(?![\w@/-]|\.\w)`

/** Groups: a name and a team; a repository and a number; a repository and a commit id. */
export const REFERENCE = new RegExp(`${mention}|${number}|${commit}`, 'gi')

/**
 * Whether hex digits are read as a commit id. They need a digit and a letter, so that neither a
 * year nor a word matches.
 */
export const looksLikeCommit = (hex: string): boolean =>
  hex === hex.toLowerCase() && (hex.length >= 40 || (/\d/.test(hex) && /[a-f]/.test(hex)))
