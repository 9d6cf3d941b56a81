// A macro: the table of emoji is made when the code is bundled, so that the executable has one text
// of 35 KB in place of a list of objects.
import { gemoji } from 'gemoji'

/** Lines of a name, a space and the emoji, each after a line end. */
export const emojiTable = (): string =>
  gemoji.flatMap(({ names, emoji }) => names.map((name) => `\n${name} ${emoji}`)).join('')
