// How to run this forge: the README of this very release, so that what is said here and there
// cannot differ, and it is at hand without the internet.
import { textFile } from '../client.macro.ts' with { type: 'macro' }
import { PageHead } from '../components/layout.tsx'
import { Columns } from '../components/tabs.tsx'
import { raw, type Html } from '../jsx/html.ts'
import { renderMarkdown } from '../markdown.ts'
import { page, type Visit } from '../site.ts'
import { Shell } from './shell.tsx'

const README: string = textFile('../README.md')

/** The first section of it that tells how to run one, and the first that no longer does. */
const FIRST = '## Installing'
const AFTER = '## How fast git is here'

export type Section = { readonly id: string; readonly title: string; readonly text: string }

/**
 * Marks for scripts are left out, and so are addresses of files that only the source has; their
 * words stay.
 */
const forReaders = (text: string): string =>
  text.replace(/^<!--.*-->\n/gm, '').replace(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, '$1')

/** The sections of second rank between two headings. Gives an Error when a heading is missing. */
export function sectionsOf(text: string, first: string, after: string): Section[] {
  const [from, to] = [text.indexOf(`\n${first}\n`), text.indexOf(`\n${after}\n`)]
  if (from < 0 || to < from) throw new Error(`the README has no ${from < 0 ? first : after}`)
  return text
    .slice(from, to)
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n')
      return {
        id: title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
        title,
        text: forReaders(lines.join('\n')),
      }
    })
}

type Part = { readonly id: string; readonly title: string }
type Shown = Part & { readonly html: string; readonly parts: readonly Part[] }

/** The headings of third rank, with the names that they got. */
const partsOf = (html: string): Part[] =>
  [...html.matchAll(/<h3[^>]* id="([^"]+)"[^>]*>([^<]+)</g)].map(([, id = '', title = '']) => ({
    id,
    title,
  }))

let kept: readonly Shown[] | null = null
const sections = (): readonly Shown[] =>
  (kept ??= sectionsOf(README, FIRST, AFTER).map(({ id, title, text }) => {
    const html = renderMarkdown(text)
    return { id, title, html, parts: partsOf(html) }
  }))

/** All that is here, at a glance: on a phone it is the only way through so long a page. */
const Contents = () => (
  <nav class="guide-contents" aria-label="Contents">
    <ul>
      {sections().map(({ id, title, parts }) => (
        <li>
          <a class="strong" href={`#${id}`}>
            {title}
          </a>
          {parts.length > 0 && (
            <ul>
              {parts.map((part) => (
                <li>
                  <a href={`#${part.id}`}>{raw(part.title)}</a>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  </nav>
)

export const GuidePage = ({ visit }: { visit: Visit }): Html => (
  <Shell
    visit={visit}
    title="Running it"
    description="Installing, configuring, securing, backing up and upgrading this forge."
  >
    <PageHead
      title="Running it"
      lead="Installing, configuring, securing, backing up and upgrading, as of this release."
    />
    <Columns side={<Contents />}>
      {sections().map(({ id, title, html }) => (
        <section id={id} class="stack">
          <h2>{title}</h2>
          <div class="md guide">{raw(html)}</div>
        </section>
      ))}
    </Columns>
  </Shell>
)

export const guidePage = page({
  path: '/docs/running',
  view: (_, visit) => <GuidePage visit={visit} />,
})
