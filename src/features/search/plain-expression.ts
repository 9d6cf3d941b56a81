/**
 * Recognizes expressions that JavaScript's own engine can match. Most queries are a few letters
 * with a class or two between them. These have the same meaning in RE2 and JavaScript, and take at
 * most quadratic time in the length of a line, because only one part may repeat without limit. RE2
 * matches all others.
 */

/** One part: an escape, a class of plain members, a dot, an anchor, or a literal character. */
const EXPRESSION_PART =
  /\\([swdb])|\\([^\w\s])|\[((?:[A-Za-z0-9](?:-[A-Za-z0-9])?|[ _.:;,<>=!@#%&"'~`/+*?$()|{}]|\\[^\w\s]|\\[swd])+-?)\]|(\.)|([\^$])|([A-Za-z0-9 _"'#%&,/:;<=>@~`!-])/y
const REPETITION = /([*+?])\??|\{(\d{1,2})(,(\d{1,2}))?\}\??/y

const RE2_SPACE = ' \\t\\f\\r'
const MAX_REPETITIONS = 20

const classMembers = (members: string): string =>
  members.replace(/\\s/g, RE2_SPACE).replace(/[/]/g, '\\/').replace(/-$/, '\\-')
const rangesAreOrdered = (members: string): boolean =>
  [...members.matchAll(/([A-Za-z0-9])-([A-Za-z0-9])/g)].every(
    ([, from = '', to = '']) => from <= to,
  )

export type PlainExpression = {
  readonly pattern: RegExp
  /**
   * Whether a match may contain characters beyond ASCII. The expression is then valid only for
   * ASCII texts.
   */
  readonly beyondAscii: boolean
}

/**
 * Translates an expression to JavaScript; null when it is not plain. A match never crosses the end
 * of a line.
 */
export function plainExpression(source: string, exactCase: boolean): PlainExpression | null {
  let at = 0
  let endless = 0
  let beyondAscii = false
  let made = ''
  while (at < source.length) {
    EXPRESSION_PART.lastIndex = at
    const part = EXPRESSION_PART.exec(source)
    if (!part) return null
    at = EXPRESSION_PART.lastIndex
    const [, letter, sign, members, point, edge, plain] = part
    if (members !== undefined && !rangesAreOrdered(members)) return null
    beyondAscii ||= point !== undefined
    made +=
      letter !== undefined
        ? letter === 's'
          ? `[${RE2_SPACE}]`
          : `\\${letter}`
        : sign !== undefined
          ? RegExp.escape(sign)
          : members !== undefined
            ? `[${classMembers(members)}]`
            : point !== undefined
              ? '[^\\n]'
              : (edge ?? RegExp.escape(plain ?? ''))
    REPETITION.lastIndex = at
    const times = REPETITION.exec(source)
    if (!times) continue
    at = REPETITION.lastIndex
    if (letter === 'b' || edge !== undefined) return null
    const [whole, often, least, range, most] = times
    if (
      often === undefined &&
      (Number(least) > MAX_REPETITIONS ||
        Number(most ?? 0) > MAX_REPETITIONS ||
        (range !== undefined && Number(most) < Number(least)))
    )
      return null
    if ((often === '*' || often === '+') && ++endless > 1) return null
    made += whole
    // Consecutive quantifiers have different meanings in the two languages.
    if (/[*+?{]/.test(source[at] ?? '')) return null
  }
  return { pattern: new RegExp(made, exactCase ? 'm' : 'im'), beyondAscii }
}
