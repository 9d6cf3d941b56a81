/**
 * Expressions that JavaScript's own engine may look for. Most that people type are a few letters
 * with a class or two between them:
 * those mean the same in both languages, and cost at most the square of what one line holds,
 * because no more than one part may go on
 * without end. All others are left to RE2.
 */

/**
 * One part: an escape, a class of plain members, the point, an end of the line, or a character that
 * stands for itself.
 */
const PART =
  /\\([swdb])|\\([^\w\s])|\[((?:[A-Za-z0-9](?:-[A-Za-z0-9])?|[ _.:;,<>=!@#%&"'~`/+*?$()|{}]|\\[^\w\s]|\\[swd])+-?)\]|(\.)|([\^$])|([A-Za-z0-9 _"'#%&,/:;<=>@~`!-])/y
const TIMES = /([*+?])\??|\{(\d{1,2})(,(\d{1,2}))?\}\??/y

const SPACE = ' \\t\\f\\r'
const MOST_TIMES = 20

const inClass = (members: string): string =>
  members.replace(/\\s/g, SPACE).replace(/[/]/g, '\\/').replace(/-$/, '\\-')
const ordered = (members: string): boolean =>
  [...members.matchAll(/([A-Za-z0-9])-([A-Za-z0-9])/g)].every(
    ([, from = '', to = '']) => from <= to,
  )

export type PlainExpression = {
  readonly pattern: RegExp
  /** Whether a match may hold characters of other scripts; then it is good for ASCII alone. */
  readonly beyondAscii: boolean
}

/**
 * The same in JavaScript; null for what is not as plain as that. It never goes over the end of a
 * line.
 */
export function plainExpression(source: string, exactCase: boolean): PlainExpression | null {
  let at = 0
  let endless = 0
  let beyondAscii = false
  let made = ''
  while (at < source.length) {
    PART.lastIndex = at
    const part = PART.exec(source)
    if (!part) return null
    at = PART.lastIndex
    const [, letter, sign, members, point, edge, plain] = part
    if (members !== undefined && !ordered(members)) return null
    beyondAscii ||= point !== undefined
    made +=
      letter !== undefined
        ? letter === 's'
          ? `[${SPACE}]`
          : `\\${letter}`
        : sign !== undefined
          ? RegExp.escape(sign)
          : members !== undefined
            ? `[${inClass(members)}]`
            : point !== undefined
              ? '[^\\n]'
              : (edge ?? RegExp.escape(plain ?? ''))
    TIMES.lastIndex = at
    const times = TIMES.exec(source)
    if (!times) continue
    at = TIMES.lastIndex
    if (letter === 'b' || edge !== undefined) return null
    const [whole, often, least, range, most] = times
    if (
      often === undefined &&
      (Number(least) > MOST_TIMES ||
        Number(most ?? 0) > MOST_TIMES ||
        (range !== undefined && Number(most) < Number(least)))
    )
      return null
    if ((often === '*' || often === '+') && ++endless > 1) return null
    made += whole
    // A sign behind a sign means something else in each language.
    if (/[*+?{]/.test(source[at] ?? '')) return null
  }
  return { pattern: new RegExp(made, exactCase ? 'm' : 'im'), beyondAscii }
}
