// A text that is too long for one page, in parts. `?part=` names one by its number, and `?at=` by the id
// of an element in it, such as a heading.
import { Pagination, WrittenText, type MarkdownBodyOptions } from '../../components/index.ts'
import { formatNumber } from '../../format.ts'
import { raw, type Html } from '../../jsx/html.ts'
import { prefixedId } from '../../markdown/addresses.ts'
import {
  divideDocument,
  hasId,
  linkToParts,
  partHtml,
  type RenderedDocument,
} from '../../markdown/parts.ts'
import { pageNumber } from '../../page-number.ts'
import { withQuery } from '../../paths.ts'
import { DirectResponse, type Visit } from '../../site.ts'
import { t } from '../../text.ts'

/** A text with the part that the address names. */
export type LongText = {
  /** Null for a text without content. */
  readonly document: RenderedDocument | null
  /** Its index. */
  readonly part: number
  /** The address of the page. */
  readonly here: string
  readonly isMarkdown: boolean
}

function partIn({ html, ranges }: RenderedDocument, visit: Visit): number {
  const at = prefixedId(visit.url.searchParams.get('at') ?? '')
  if (at !== null) {
    const found = ranges.findIndex(({ start, end }) => hasId(html.slice(start, end), at))
    if (found >= 0) return found
  }
  return Math.min(pageNumber(visit, 'part'), ranges.length) - 1
}

/** Renders a text, to show the part of it that the address names. */
export async function loadLongText(
  visit: Visit,
  text: string,
  options: MarkdownBodyOptions,
  here = visit.url.pathname,
): Promise<LongText> {
  if (text.trim() === '') return { document: null, part: 0, here, isMarkdown: true }
  const { page: _, ...given } = options
  const document = await visit.markdown.document(text, given)
  return { document, part: partIn(document, visit), here, isMarkdown: true }
}

/** HTML of ours, to show the part of it that the address names. */
export async function loadLongHtml(
  visit: Visit,
  html: Html,
  here = visit.url.pathname,
): Promise<LongText> {
  const document = divideDocument(await visit.markdown.fill(html.toString()))
  return { document, part: partIn(document, visit), here, isMarkdown: false }
}

/** A text without markup, to show the part of it that the address names. */
export const loadPlainText = (visit: Visit, text: string): Promise<LongText> =>
  loadLongHtml(
    visit,
    <WrittenText>{text.trim() === '' ? t('Nothing written.') : text}</WrittenText>,
  )

/** The text as it was typed, for an address with `?raw=1`. Null for others. */
export const rawText = (visit: Visit, text: string): DirectResponse | null =>
  visit.url.searchParams.get('raw') === '1'
    ? new DirectResponse(
        new Response(text, {
          headers: { ...visit.headers, 'content-type': 'text/plain; charset=utf-8' },
        }),
      )
    : null

const countOf = ({ document }: LongText): number => document?.ranges.length ?? 1

const partNumbers = (text: LongText) => ({
  part: formatNumber(text.part + 1),
  total: formatNumber(countOf(text)),
})

/** The title of a page with a part of a long text. */
export const partTitle = (title: string, text: LongText): string =>
  countOf(text) === 1
    ? title
    : t('{title} · part {part} of {total}', { title, ...partNumbers(text) })

/** The address of the page with another part, or with the text as it was typed. */
const hrefOf = (
  { url }: Visit,
  { here }: LongText,
  to: { part?: number; at?: string; raw?: 1 },
): string =>
  withQuery(here, {
    ...Object.fromEntries(url.searchParams),
    part: to.part !== undefined && to.part > 1 ? to.part : undefined,
    at: to.at,
    raw: to.raw,
  })

type PartProps = {
  readonly visit: Visit
  readonly text: LongText
  readonly document: RenderedDocument
}

const Contents = ({ visit, text, document: { contents } }: PartProps) => {
  if (contents.length === 0) return null
  const top = Math.min(...contents.map(({ level }) => level))
  return (
    <details class="more contents">
      <summary>{t('Contents')}</summary>
      <ul>
        {contents.map(({ level, id, text: words, part }) => (
          <li class={level > top ? `contents-${Math.min(level - top, 3)}` : undefined}>
            <a
              href={`${part === text.part ? '' : hrefOf(visit, text, { at: id })}#${encodeURIComponent(id)}`}
              dir="auto"
            >
              {words}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Which part is shown, the text as it was typed, and the contents. */
const PartBar = (props: PartProps) => (
  <div class="part-bar">
    <p>
      <strong>{t('Part {part} of {total}', partNumbers(props.text))}</strong>
      {' · '}
      <a href={hrefOf(props.visit, props.text, { raw: 1 })}>
        {t('The whole text as it was typed')}
      </a>
    </p>
    <Contents {...props} />
  </div>
)

/** A text, or one part of it with the way to the others. */
export const LongTextBody = ({
  visit,
  text,
  empty,
}: {
  visit: Visit
  text: LongText
  empty?: string
}) => {
  const { document, part } = text
  const range = document?.ranges[part]
  if (document === null || range === undefined)
    return <p class="muted">{empty ?? t('Nothing written.')}</p>
  const html = partHtml(document.html, range)
  const className = text.isMarkdown ? 'md' : undefined
  if (document.ranges.length === 1)
    return (
      <div class={className} dir="auto">
        {raw(html)}
      </div>
    )
  return (
    <>
      <PartBar visit={visit} text={text} document={document} />
      <div class={className} dir="auto" data-text-part="">
        {raw(linkToParts(html, (at) => hrefOf(visit, text, { at })))}
      </div>
      <Pagination
        page={part + 1}
        perPage={1}
        total={document.ranges.length}
        href={(number) => hrefOf(visit, text, { part: number })}
        label={t('Parts of the text')}
      />
    </>
  )
}
