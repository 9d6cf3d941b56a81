/**
 * Texts of another forge: links to its own issues and pull requests become references, except in
 * code.
 */

export type ImportedTexts = {
  /** The address of the repository there, without a slash at the end. */
  readonly url: string
  readonly pull_offset: number
  /** The addresses of files here, by those in the text. */
  readonly files?: ReadonlyMap<string, string>
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

/** A longer address may begin or end as a shorter one does. */
const longestFirst = (files: ReadonlyMap<string, string>): (readonly [string, string])[] =>
  [...files].toSorted(([a], [b]) => b.length - a.length)

const rewriteFiles = (text: string, files: ReadonlyMap<string, string>): string =>
  longestFirst(files).reduce((done, [link, address]) => done.replaceAll(link, () => address), text)

const rewritePlain = (text: string, texts: ImportedTexts): string => {
  const named = texts.files?.size ? rewriteFiles(text, texts.files) : text
  const linked = named.includes(texts.url) ? rewriteLinks(named, texts) : named
  return texts.pull_offset > 0 && linked.includes('!')
    ? linked.replace(
        MERGE_REQUEST,
        (_, before: string, number: string) =>
          `${before}#${numberOf('merge_requests', number, texts.pull_offset)}`,
      )
    : linked
}

/** The parts of a text that are no code, for what they name. */
export function plainText(text: string): string {
  const parts: string[] = []
  mapPlain(text, (part) => {
    parts.push(part)
    return part
  })
  return parts.join('\n')
}

/** Rewrites what is outside of fenced code and of code between backticks. */
export const rewriteText = (text: string, texts: ImportedTexts): string =>
  mapPlain(text, (part) => rewritePlain(part, texts))

function mapPlain(text: string, change: (part: string) => string): string {
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
        .map((part, at) => (at % 2 === 0 ? change(part) : part))
        .join('`')
    })
    .join('\n')
}
