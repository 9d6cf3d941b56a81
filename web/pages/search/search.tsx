import { Refusal } from '#lib/errors.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { search, type SearchResult, type SearchType } from '#features/search/index.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { Notice } from '../../components/flash.tsx'
import { Form } from '../../components/form.tsx'
import type { IconName } from '../../components/icon.tsx'
import { PageHead } from '../../components/layout.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { FilterBar, Tabs } from '../../components/tabs.tsx'
import { repoPath, withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { Shell } from '../shell.tsx'
import { SearchResults } from './rows.tsx'
import { withQualifier } from './qualifiers.ts'
import { localized, rich, t } from '../../text.ts'

const TYPES: readonly { type: SearchType; label: string; icon: IconName; inRepo: boolean }[] =
  localized([
    { type: 'repositories', label: 'Repositories', icon: 'repo', inRepo: false },
    { type: 'code', label: 'Code', icon: 'code', inRepo: true },
    { type: 'issues', label: 'Issues', icon: 'issue', inRepo: true },
    { type: 'pulls', label: 'Pull requests', icon: 'pull', inRepo: true },
    { type: 'wiki', label: 'Wiki', icon: 'book', inRepo: true },
    { type: 'people', label: 'People', icon: 'users', inRepo: false },
  ])
const SORTS = ['best', 'updated', 'created'] as const

/** A file has up to eight lines, and an issue a description and three comments: ten stay below 100 KB. */
const RESULTS_PER_PAGE = 10

type SearchQuery = {
  readonly q: string
  readonly type: SearchType | null
  readonly sort: (typeof SORTS)[number]
  readonly number: number
}
/** The address of this search with a changed part. */
type AddressOf = (change: Record<string, string | number | undefined>) => string
type SearchOutcome = { readonly result: SearchResult | null; readonly error: string | null }

function readQuery(visit: Visit): SearchQuery {
  const query = visit.url.searchParams
  return {
    q: (query.get('q') ?? '').slice(0, 900),
    type: TYPES.find(({ type }) => type === query.get('type'))?.type ?? null,
    sort: SORTS.find((one) => one === query.get('sort')) ?? 'best',
    number: Math.min(1000, Math.max(1, Number(query.get('page') ?? '1') || 1)),
  }
}

/**
 * Runs the search. Without a chosen type, and without results of the default one, it uses a type
 * with results.
 */
async function runSearch(
  visit: Visit,
  { q, type, sort, number }: SearchQuery,
  repo: string | null,
): Promise<SearchOutcome> {
  if (q.trim() === '') return { result: null, error: null }
  const query = repo === null ? q : `${q} repo:${repo}`
  const ask = (chosen: SearchType | null) =>
    visit.call(search, {
      query,
      sort,
      page: number,
      per_page: RESULTS_PER_PAGE,
      ...(chosen === null ? {} : { type: chosen }),
    })
  try {
    const first = await ask(
      type ?? (repo === null || / is:(pr|issue)\b/.test(` ${q}`) ? null : 'code'),
    )
    const other =
      type !== null || first.counts[first.type] > 0
        ? undefined
        : TYPES.find((one) => (repo === null || one.inRepo) && first.counts[one.type] > 0)
    return { result: other ? await ask(other.type) : first, error: null }
  } catch (error) {
    if (error instanceof Refusal && error.field === 'query')
      return { result: null, error: error.message }
    throw error
  }
}

const Help = () => (
  <div class="search-help">
    <p>
      {t(
        'Words are looked for together. Quotes keep words in a row, a minus leaves out what holds the word behind it.',
      )}
    </p>
    <dl>
      {(
        [
          ['repo:owner/name', t('in one repository; org:owner for all of a workspace')],
          ['language:go', t('code and repositories in a language')],
          ['path:src/*.ts', t('files by their path')],
          ['symbol:parse', t('where a name is defined')],
          ['regex:/get\\w+\\(/', t('code that matches an expression')],
          ['case:yes', t('code in exactly this case')],
          ['is:open is:pr', t('open pull requests; also closed, merged, draft, issue')],
          ['author:ada label:bug', t('by who wrote it and what it carries')],
          ['no:assignee', t('what nobody has taken on')],
        ] as const
      ).map(([example, meaning]) => (
        <>
          <dt>
            <a href={withQuery('/search', { q: example })}>
              <code>{example}</code>
            </a>
          </dt>
          <dd>{meaning}</dd>
        </>
      ))}
    </dl>
  </div>
)

/** Links that narrow what is shown. */
function filtersFor(
  result: SearchResult,
  q: string,
  at: (change: Record<string, string | number | undefined>) => string,
) {
  const link = (label: string, qualifier: string) => {
    const { text, on } = withQualifier(q, qualifier)
    return { label, href: at({ q: text }), current: on }
  }
  if (result.type === 'issues')
    return [
      link(t('Open'), 'is:open'),
      link(t('Closed'), 'is:closed'),
      link(t('Nobody assigned'), 'no:assignee'),
    ]
  if (result.type === 'pulls')
    return [
      link(t('Open'), 'is:open'),
      link(t('Draft'), 'is:draft'),
      link(t('Merged'), 'is:merged'),
      link(t('Closed'), 'is:closed'),
    ]
  if (result.type === 'people' || result.type === 'wiki') return []
  const languages = [
    ...new Set(
      result.items.flatMap((item) =>
        'language' in item && item.language !== null ? [item.language] : [],
      ),
    ),
  ].slice(0, 6)
  const extra =
    result.type === 'code'
      ? [link(t('Exact case'), 'case:yes'), link(t('Include generated'), 'generated:yes')]
      : [link(t('Include archived'), 'archived:yes')]
  return [
    ...languages.map((language) =>
      link(language, `language:${/\s/.test(language) ? `"${language}"` : language}`),
    ),
    ...extra,
  ]
}

const ResultTabs = ({
  repo,
  at,
  result,
}: {
  repo: string | null
  at: AddressOf
  result: SearchResult
}) => (
  <Tabs
    label={t('Types')}
    tabs={TYPES.filter(({ inRepo }) => repo === null || inRepo).map(({ type, label, icon }) => ({
      label: result.counts[type] >= 1000 ? t('{label}, 1,000 or more', { label }) : label,
      icon,
      href: at({ type }),
      current: type === result.type,
      count: result.counts[type] >= 1000 ? null : result.counts[type],
    }))}
  />
)

const OrderLinks = ({ at, sort }: { at: AddressOf; sort: SearchQuery['sort'] }) => (
  <nav aria-label={t('Order')}>
    <ul class="choices">
      {(
        [
          ['best', t('Best match')],
          ['updated', t('Updated')],
          ['created', t('Newest')],
        ] as const
      ).map(([order, label]) => (
        <li>
          <a
            href={at({ sort: order === 'best' ? undefined : order })}
            aria-current={order === sort ? 'true' : undefined}
          >
            {label}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

const NothingFound = ({
  repo,
  q,
  result,
}: {
  repo: string | null
  q: string
  result: SearchResult
}) => (
  <EmptyState icon="search" title={t('Nothing found for “{q}”', { q })}>
    <p>
      {rich('Try fewer words, or another type.{repo}', {
        repo: repo !== null && (
          <>
            {' '}
            {rich('Or <a>search everywhere</a>.', {
              a: (inner) => <a href={withQuery('/search', { q, type: result.type })}>{inner}</a>,
            })}
          </>
        ),
      })}
    </p>
  </EmptyState>
)

const Results = ({
  question,
  answer,
  here,
  repo,
}: {
  question: SearchQuery
  answer: SearchOutcome
  here: string
  repo: string | null
}) => {
  const { q, sort, number } = question
  const { result } = answer
  if (answer.error !== null)
    return (
      <Notice kind="bad" title={t('This cannot be searched')}>
        <p>{answer.error}</p>
      </Notice>
    )
  if (result === null) return <Help />
  const at = (change: Record<string, string | number | undefined>) =>
    withQuery(here, { q, type: result.type, sort: sort === 'best' ? undefined : sort, ...change })
  const count = result.counts[result.type]
  const filters = filtersFor(result, q, at)
  return (
    <>
      <ResultTabs repo={repo} at={at} result={result} />
      <FilterBar label={t('Narrow')} filters={filters}>
        <OrderLinks at={at} sort={sort} />
      </FilterBar>
      {result.incomplete && (
        <Notice kind="wait" title={t('There may be more')}>
          <p>
            {t(
              'Either time ran out, or some of it is still being taken in. Narrow the search, or ask again in a while.',
            )}
          </p>
        </Notice>
      )}
      {result.items.length === 0 ? (
        <NothingFound repo={repo} q={q} result={result} />
      ) : (
        <SearchResults result={result} inside={repo !== null} />
      )}
      <Pagination
        page={number}
        perPage={result.per_page}
        total={count}
        href={(to) => at({ page: to })}
      />
    </>
  )
}

const Box = ({
  here,
  q,
  type,
  label,
}: {
  here: string
  q: string
  type: SearchType | null
  label: string
}) => (
  <Form action={here} method="get" inline label={label}>
    {type !== null && <input type="hidden" name="type" value={type} />}
    <input
      class="input search-box"
      type="search"
      name="q"
      value={q}
      aria-label={label}
      placeholder={t('Words, "phrases", language:go, is:open …')}
      autocomplete="off"
      spellcheck="false"
    />
    <Button variant="primary" icon="search">
      {t('Search')}
    </Button>
  </Form>
)

export const searchPage = page({
  path: '/search',
  load: async (visit) => {
    const question = readQuery(visit)
    return { question, answer: await runSearch(visit, question, null) }
  },
  view: ({ question, answer }, visit) => (
    <Shell
      visit={visit}
      title={question.q === '' ? t('Search') : t('{q} · Search', { q: question.q })}
      noindex
      search={{ value: question.q }}
    >
      <PageHead title={t('Search')} />
      <Box here="/search" q={question.q} type={question.type} label={t('Search everything')} />
      <Results question={question} answer={answer} here="/search" repo={null} />
    </Shell>
  ),
})

export const repoSearchPage = page({
  path: '/:workspace/:repo/search',
  load: async (visit): Promise<{ repo: Repo; question: SearchQuery; answer: SearchOutcome }> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const question = readQuery(visit)
    return { repo, question, answer: await runSearch(visit, question, repo.full_name) }
  },
  view: ({ repo, question, answer }, visit) => {
    const here = repoPath(repo.full_name, '/search')
    return (
      <RepoFrame
        visit={visit}
        repo={repo}
        title={question.q === '' ? t('Search') : t('{q} · Search', { q: question.q })}
        current="search"
        noindex
      >
        <PageHead title={t('Search this repository')} />
        <Box
          here={here}
          q={question.q}
          type={question.type}
          label={t('Search {full_name}', { full_name: repo.full_name })}
        />
        <Results question={question} answer={answer} here={here} repo={repo.full_name} />
      </RepoFrame>
    )
  },
})
