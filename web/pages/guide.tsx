// The guide of this release: the Markdown files of `assets/docs`, built into the executable, so
// that it is at hand without the internet and cannot differ from the source.
import { lazy } from '#lib/lazy.ts'
import { packedText } from '#lib/packed-text.ts'
import { textFile } from '../client.macro.ts' with { type: 'macro' }
import { PageHead } from '../components/layout.tsx'
import { Columns, SideNav } from '../components/tabs.tsx'
import { raw, type Html } from '../jsx/html.ts'
import { renderMarkdown } from '../markdown.ts'
import { page, redirect, type Visit } from '../site.ts'
import { Shell } from './shell.tsx'
import { t } from '../text.ts'

/** One page of the guide; its address is `/docs/<slug>`. */
type GuideSource = { readonly slug: string; readonly text: () => string }

export const GUIDE_SOURCES: readonly GuideSource[] = [
  { slug: 'install', text: packedText(textFile('../assets/docs/install.md').packed) },
  { slug: 'configure', text: packedText(textFile('../assets/docs/configure.md').packed) },
  { slug: 'sign-on', text: packedText(textFile('../assets/docs/sign-on.md').packed) },
  { slug: 'operate', text: packedText(textFile('../assets/docs/operate.md').packed) },
  { slug: 'mirrors', text: packedText(textFile('../assets/docs/mirrors.md').packed) },
  { slug: 'moving', text: packedText(textFile('../assets/docs/moving.md').packed) },
  { slug: 'backup', text: packedText(textFile('../assets/docs/backup.md').packed) },
  { slug: 'scale', text: packedText(textFile('../assets/docs/scale.md').packed) },
  { slug: 'performance', text: packedText(textFile('../assets/docs/performance.md').packed) },
  {
    slug: 'secret-scanning',
    text: packedText(textFile('../assets/docs/secret-scanning.md').packed),
  },
  { slug: 'dependencies', text: packedText(textFile('../assets/docs/dependencies.md').packed) },
  { slug: 'security', text: packedText(textFile('../assets/docs/security.md').packed) },
  { slug: 'issues', text: packedText(textFile('../assets/docs/issues.md').packed) },
  { slug: 'insights', text: packedText(textFile('../assets/docs/insights.md').packed) },
  { slug: 'workflows', text: packedText(textFile('../assets/docs/workflows.md').packed) },
  {
    slug: 'moving-workflows',
    text: packedText(textFile('../assets/docs/moving-workflows.md').packed),
  },
  { slug: 'runners', text: packedText(textFile('../assets/docs/runners.md').packed) },
  { slug: 'reviews', text: packedText(textFile('../assets/docs/reviews.md').packed) },
  { slug: 'conflicts', text: packedText(textFile('../assets/docs/conflicts.md').packed) },
  { slug: 'ssh', text: packedText(textFile('../assets/docs/ssh.md').packed) },
  { slug: 'large-files', text: packedText(textFile('../assets/docs/large-files.md').packed) },
  { slug: 'packages', text: packedText(textFile('../assets/docs/packages.md').packed) },
  { slug: 'agents', text: packedText(textFile('../assets/docs/agents.md').packed) },
  {
    slug: 'bring-your-own-agent',
    text: packedText(textFile('../assets/docs/bring-your-own-agent.md').packed),
  },
  { slug: 'api', text: packedText(textFile('../assets/docs/api.md').packed) },
  { slug: 'architecture', text: packedText(textFile('../assets/docs/architecture.md').packed) },
  { slug: 'glossary', text: packedText(textFile('../assets/docs/glossary.md').packed) },
]

type Chapter = {
  readonly slug: string
  readonly title: string
  readonly html: string
  /** The headings of second rank, with the ids that the renderer gave them. */
  readonly parts: readonly { readonly id: string; readonly title: string }[]
}

/**
 * Gives each cell of a table of three columns or more the heading of its column: on a phone cells
 * stand below each other, without the row of headings.
 */
function labelCells(table: string): string {
  const labels = [...table.matchAll(/<th(?: [^<>]*)?>(.*?)<\/th>/gs)].map(([, label = '']) =>
    label.replace(/<[^<>]*>/g, '').replaceAll('"', '&quot;'),
  )
  if (labels.length < 3) return table
  return table.replace(/<tr>.*?<\/tr>/gs, (row) => {
    let column = 0
    return row.replace(/(?<=<td)/g, () => ` data-label="${labels[column++] ?? ''}"`)
  })
}

/**
 * Renders one source. Its first line is the title. Marks for scripts are left out; links between
 * the files become links between the pages.
 */
export function renderChapter({ slug, text }: GuideSource): Chapter {
  const [first = '', ...lines] = text().split('\n')
  if (!first.startsWith('# ')) throw new Error(`the guide's page ${slug} begins with no title`)
  const body = lines
    .join('\n')
    .replace(/^<!--[^\n]*-->\n/gm, '')
    .replace(/\]\(([a-z-]+)\.md(#[a-z-]+)?\)/g, '](/docs/$1$2)')
  const html = renderMarkdown(body).replace(/<table>.*?<\/table>/gs, labelCells)
  const headings = html.matchAll(/<h2[^>]* id="([^"]+)"[^>]*>([^<]+)</g)
  const parts = [...headings].map(([, id = '', title = '']) => ({ id, title }))
  return { slug, title: first.slice(2), html, parts }
}

const titleOf = ({ text }: GuideSource): string => text().slice(2, text().indexOf('\n'))

/** The pages of the guide, and the headings of the page that is shown. */
const Contents = ({ chapter }: { chapter: Chapter }) => (
  <SideNav
    label={t('Guide')}
    groups={[
      {
        tabs: [
          ...GUIDE_SOURCES.map((source) => ({
            label: titleOf(source),
            href: `/docs/${source.slug}`,
            current: source.slug === chapter.slug,
          })),
          { label: t('API reference'), href: '/docs' },
        ],
      },
    ]}
  />
)

/** On a long page: its headings, since the side lists pages only. */
const OnThisPage = ({ parts }: Pick<Chapter, 'parts'>) =>
  parts.length < 3 ? null : (
    <nav class="guide-contents" aria-label={t('On this page')}>
      <ul>
        {parts.map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{raw(title)}</a>
          </li>
        ))}
      </ul>
    </nav>
  )

export const GuidePage = ({ visit, chapter }: { visit: Visit; chapter: Chapter }): Html => (
  <Shell
    visit={visit}
    title={chapter.title}
    description={t('{title}: guide to Hearth.', { title: chapter.title })}
  >
    <PageHead title={chapter.title} />
    <Columns side={<Contents chapter={chapter} />}>
      <OnThisPage parts={chapter.parts} />
      <div class="md guide" lang="en" dir="ltr">
        {raw(chapter.html)}
      </div>
    </Columns>
  </Shell>
)

export const guidePages = GUIDE_SOURCES.map((source) => {
  // Rendered at the first visit: most starts of a forge show no guide.
  const render = lazy(() => renderChapter(source))
  return page({
    path: `/docs/${source.slug}`,
    view: (_, visit) => <GuidePage visit={visit} chapter={render()} />,
  })
})

/** The guide's address in earlier releases. */
export const oldGuidePage = page<never>({
  path: '/docs/running',
  load: () => redirect('/docs/operate', 301),
  view: () => raw(''),
})
