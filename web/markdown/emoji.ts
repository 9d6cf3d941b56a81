// Emoji codes such as `:tada:`.
import { emojiTable } from './emoji.macro.ts' with { type: 'macro' }

const TABLE = emojiTable()

const emojiOf = (name: string): string | null => {
  const at = TABLE.indexOf(`\n${name} `)
  if (at === -1) return null
  const start = at + name.length + 2
  const end = TABLE.indexOf('\n', start)
  return TABLE.slice(start, end === -1 ? undefined : end)
}

/** More codes than these of one text stay as they were typed. */
const MAX_CODES = 500

/** Replaces the codes of known emoji in escaped text. */
export function replaceEmoji(text: string): string {
  if (!text.includes(':')) return text
  let left = MAX_CODES
  return text.replace(/(?<![\w:]):([a-z0-9_+-]{1,40}):(?!\w)/g, (whole, name: string) =>
    left-- > 0 ? (emojiOf(name) ?? whole) : whole,
  )
}
