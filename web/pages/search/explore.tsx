import { exploreRepos } from '#features/search/index.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { Form } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { List, RepoRow } from '../../components/rows.tsx'
import { Columns, FilterBar, SideBlock } from '../../components/tabs.tsx'
import { withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { Shell } from '../shell.tsx'
import { rich, t } from '../../text.ts'

const SORTS = ['pushed', 'created', 'name'] as const
const PER_PAGE = 30

type Choice = { readonly name: string; readonly count: number }

const Choices = ({
  title,
  choices,
  chosen,
  href,
}: {
  title: string
  choices: readonly Choice[]
  chosen: string
  href: (name: string | undefined) => string
}) =>
  choices.length === 0 && chosen === '' ? null : (
    <SideBlock title={title}>
      <ul class="choices choices-down">
        {choices.map(({ name, count }) => (
          <li>
            <a
              href={href(name === chosen ? undefined : name)}
              aria-current={name === chosen ? 'true' : undefined}
            >
              {name} <span class="muted">{count}</span>
            </a>
          </li>
        ))}
        {chosen !== '' && !choices.some(({ name }) => name === chosen) && (
          <li>
            <a href={href(undefined)} aria-current="true">
              {chosen}
            </a>
          </li>
        )}
      </ul>
    </SideBlock>
  )

const FindRepository = ({ choice }: { choice: { q: string; language: string; topic: string } }) => (
  <Form action="/explore" method="get" inline label={t('Find a repository')}>
    {choice.language !== '' && <input type="hidden" name="language" value={choice.language} />}
    {choice.topic !== '' && <input type="hidden" name="topic" value={choice.topic} />}
    <input
      class="input explore-find"
      type="search"
      name="q"
      value={choice.q}
      aria-label={t('Name, description or topic')}
      placeholder={t('Name, description or topic')}
    />
    <Button>{t('Find')}</Button>
  </Form>
)

const NoRepository = ({
  choice,
  narrowed,
}: {
  choice: { q: string; language: string; topic: string }
  narrowed: boolean
}) => (
  <EmptyState icon="repo" title={narrowed ? t('No repositories match') : t('Nothing here yet')}>
    {narrowed && (
      <p>
        {rich('<a>See all of them</a>, or <a2>search the code</a2>.', {
          a: (inner) => <a href="/explore">{inner}</a>,
          a2: (inner) => (
            <a href={withQuery('/search', { q: choice.q || `language:${choice.language}` })}>
              {inner}
            </a>
          ),
        })}
      </p>
    )}
  </EmptyState>
)

export const explorePage = page({
  path: '/explore',
  load: async (visit) => {
    const query = visit.url.searchParams
    const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 60)
    const choice = { q: text('q'), language: text('language'), topic: text('topic') }
    const sort = SORTS.find((one) => one === query.get('sort')) ?? 'pushed'
    const number = Math.max(1, Number(query.get('page') ?? '1') || 1)
    const given = Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== ''))
    return {
      choice,
      sort,
      number,
      list: await visit.call(exploreRepos, { ...given, sort, page: number, per_page: PER_PAGE }),
    }
  },
  view: ({ choice, sort, number, list }, visit) => {
    const at = (change: Record<string, string | number | undefined>) =>
      withQuery('/explore', { ...choice, sort: sort === 'pushed' ? undefined : sort, ...change })
    const narrowed = choice.q !== '' || choice.language !== '' || choice.topic !== ''
    return (
      <Shell visit={visit} title={t('Explore')}>
        <PageHead title={t('Explore')} lead={t('Every repository that you can see.')} />
        <Columns
          side={
            <>
              <Choices
                title={t('Languages')}
                choices={list.languages}
                chosen={choice.language}
                href={(name) => at({ language: name })}
              />
              <Choices
                title={t('Topics')}
                choices={list.topics}
                chosen={choice.topic}
                href={(name) => at({ topic: name })}
              />
            </>
          }
        >
          <FilterBar
            label={t('Order')}
            filters={(
              [
                ['pushed', t('Last pushed')],
                ['created', t('Newest')],
                ['name', t('By name')],
              ] as const
            ).map(([order, label]) => ({
              label,
              href: at({ sort: order === 'pushed' ? undefined : order }),
              current: order === sort,
            }))}
          >
            <FindRepository choice={choice} />
          </FilterBar>
          {list.items.length === 0 ? (
            <NoRepository choice={choice} narrowed={narrowed} />
          ) : (
            <List label={t('Repositories')}>
              {list.items.map((repo) => (
                <RepoRow repo={repo} />
              ))}
            </List>
          )}
          <Pagination
            page={number}
            perPage={PER_PAGE}
            total={list.total ?? 0}
            href={(to) => at({ page: to })}
          />
        </Columns>
      </Shell>
    )
  },
})
