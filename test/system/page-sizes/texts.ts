/** Texts that are long, or that take much HTML, for the places where somebody can write one. */

/** A line of so many characters, of which every fourth has to be escaped. */
export const longLine = (length: number, at = 0): string =>
  `${at} Rye & "wheat" <mixed> `
    .repeat(Math.ceil(length / 20))
    .slice(0, length)
    .trimEnd()

const section = (at: number): string =>
  [
    `## Recipe ${at}`,
    `Mix *flour* and \`water\`, see #1, @ada and [the rules](#recipe-${at + 9}). ${'Let the dough rest until it has doubled. '.repeat(12)}`,
    `- [ ] Weigh ${at}\n- [x] Bake **${at}**\n  1. First\n  2. Second`,
    `| Flour | Water |\n| --- | --- |\n${`| ${at} g | <b>350</b> g |\n`.repeat(6)}`,
    `\`\`\`ts\n${`const heat_${at} = 230 // "degrees" & <more>\n`.repeat(8)}\`\`\``,
  ].join('\n\n')

/** A document with headings, lists, tables and code. */
export function longDocument(length: number): string {
  const parts: string[] = []
  for (let total = 0; total < length; total += parts.at(-1)?.length ?? 0)
    parts.push(section(parts.length + 1))
  return parts.join('\n\n').slice(0, length)
}

/** One paragraph without a heading, whose HTML is many times its length. */
export const denseText = (length: number): string =>
  '#1 `a` *b* '
    .repeat(Math.ceil(length / 11))
    .slice(0, length)
    .trimEnd()

/** Lines of a log or a file. */
export const longLines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${at}: "${'heat & '.repeat(8)}" <ok>\n`).join('')
