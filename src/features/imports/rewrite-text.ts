/**
 * Texts of another forge: links to its own issues and pull requests become references, except in
 * code.
 */

export type ImportedTexts = {
  /** The address of the repository there, without a slash at the end. */
  readonly url: string
  readonly pull_offset: number
}

/** Beyond this length a text stays as it is. */
const MAX_REWRITTEN = 262_144
const LINK = /^(?:\/-)?\/(issues|pulls|pull|merge_requests)\/(\d{1,9})(?![\w#/?-])/
const MERGE_REQUEST = /(^|[\s(])!(\d{1,9})\b/g

const numberOf = (kind: string, number: string, offset: number): number =>
  Number(number) + (kind === 'issues' ? 0 : offset)

function rewriteLinks(text: string, { url, pull_offset }: ImportedTexts): string {
  const [first = '', ...rest] = text.split(url)
  return rest.reduce((done, part) => {
    const match = LINK.exec(part)
    return match
      ? `${done}#${numberOf(match[1] ?? '', match[2] ?? '', pull_offset)}${part.slice(match[0].length)}`
      : `${done}${url}${part}`
  }, first)
}

const rewritePlain = (text: string, texts: ImportedTexts): string => {
  const linked = text.includes(texts.url) ? rewriteLinks(text, texts) : text
  return texts.pull_offset > 0 && linked.includes('!')
    ? linked.replace(
        MERGE_REQUEST,
        (_, before: string, number: string) =>
          `${before}#${numberOf('merge_requests', number, texts.pull_offset)}`,
      )
    : linked
}

/** Rewrites what is outside of fenced code and of code between backticks. */
export function rewriteText(text: string, texts: ImportedTexts): string {
  if (text.length > MAX_REWRITTEN) return text
  let fence: string | null = null
  return text
    .split('\n')
    .map((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null
      if (fence !== null) {
        if (mark?.startsWith(fence)) fence = null
        return line
      }
      if (mark !== null) {
        fence = mark
        return line
      }
      return line
        .split('`')
        .map((part, at) => (at % 2 === 0 ? rewritePlain(part, texts) : part))
        .join('`')
    })
    .join('\n')
}
