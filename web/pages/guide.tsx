// The guide of this release: the Markdown files of `assets/docs`, built into the executable, so
// that it is at hand without the internet and cannot differ from the source.
import { lazy } from '#lib/lazy.ts'
import { textFile } from '../client.macro.ts' with { type: 'macro' }
import { PageHead } from '../components/layout.tsx'
import { Columns, SideNav } from '../components/tabs.tsx'
import { raw, type Html } from '../jsx/html.ts'
import { renderMarkdown } from '../markdown.ts'
import { page, redirect, type Visit } from '../site.ts'
import { Shell } from './shell.tsx'
import { t } from '../text.ts'

/** One page of the guide; its address is `/docs/<slug>`. */
type GuideSource = { readonly slug: string; readonly text: string }

export const GUIDE_SOURCES: readonly GuideSource[] = [
  { slug: 'install', text: textFile('../assets/docs/install.md') },
  { slug: 'configure', text: textFile('../assets/docs/configure.md') },
  { slug: 'sign-on', text: textFile('../assets/docs/sign-on.md') },
  { slug: 'operate', text: textFile('../assets/docs/operate.md') },
  { slug: 'mirrors', text: textFile('../assets/docs/mirrors.md') },
  { slug: 'moving', text: textFile('../assets/docs/moving.md') },
  { slug: 'backup', text: textFile('../assets/docs/backup.md') },
  { slug: 'performance', text: textFile('../assets/docs/performance.md') },
  { slug: 'secret-scanning', text: textFile('../assets/docs/secret-scanning.md') },
  { slug: 'dependencies', text: textFile('../assets/docs/dependencies.md') },
  { slug: 'security', text: textFile('../assets/docs/security.md') },
  { slug: 'issues', text: textFile('../assets/docs/issues.md') },
  { slug: 'insights', text: textFile('../assets/docs/insights.md') },
  { slug: 'workflows', text: textFile('../assets/docs/workflows.md') },
  { slug: 'moving-workflows', text: textFile('../assets/docs/moving-workflows.md') },
  { slug: 'runners', text: textFile('../assets/docs/runners.md') },
  { slug: 'reviews', text: textFile('../assets/docs/reviews.md') },
  { slug: 'conflicts', text: textFile('../assets/docs/conflicts.md') },
  { slug: 'ssh', text: textFile('../assets/docs/ssh.md') },
  { slug: 'large-files', text: textFile('../assets/docs/large-files.md') },
  { slug: 'packages', text: textFile('../assets/docs/packages.md') },
  { slug: 'agents', text: textFile('../assets/docs/agents.md') },
  {
    slug: 'bring-your-own-agent',
    text: textFile('../assets/docs/bring-your-own-agent.md'),
  },
  { slug: 'api', text: textFile('../assets/docs/api.md') },
  { slug: 'architecture', text: textFile('../assets/docs/architecture.md') },
  { slug: 'glossary', text: textFile('../assets/docs/glossary.md') },
]

type Chapter = {
  readonly slug: string
  readonly title: string
  readonly html: string
  /** The headings of second rank, with the ids that the renderer gave them. */
  readonly parts: readonly { readonly id: string; readonly title: string }[]
}

/**
 * Renders one source. Its first line is the title. Marks for scripts are left out; links between
 * the files become links between the pages.
 */
export function renderChapter({ slug, text }: GuideSource): Chapter {
  const [first = '', ...lines] = text.split('\n')
  if (!first.startsWith('# ')) throw new Error(`the guide's page ${slug} begins with no title`)
  const body = lines
    .join('\n')
    .replace(/^<!--[^\n]*-->\n/gm, '')
    .replace(/\]\(([a-z-]+)\.md(#[a-z-]+)?\)/g, '](/docs/$1$2)')
  const html = renderMarkdown(body)
  const headings = html.matchAll(/<h2[^>]* id="([^"]+)"[^>]*>([^<]+)</g)
  const parts = [...headings].map(([, id = '', title = '']) => ({ id, title }))
  return { slug, title: first.slice(2), html, parts }
}

const titleOf = ({ text }: GuideSource): string => text.slice(2, text.indexOf('\n'))

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
