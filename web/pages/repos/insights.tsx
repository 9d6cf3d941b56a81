// What the history and the files of a repository consist of: languages, commits over time, lines,
// contributors. Charts are SVG from the server; tables have their numbers.
import {
  getCommitActivity,
  getRepo,
  listContributors,
  listLanguages,
  type CommitActivity,
  type Contributor,
  type LanguageShare,
} from '#features/repos/index.ts'
import {
  ActorLink,
  EmptyState,
  FilterBar,
  LinkButton,
  Notice,
  PageHead,
} from '../../components/index.ts'
import { formatNumber, hashText } from '../../format.ts'
import { raw } from '../../jsx/html.ts'
import { labelColors } from '../../palette.ts'
import { repoPath } from '../../paths.ts'
import { page } from '../../site.ts'
import { columnChart, frequencyChart, periodsOf, scaleOf, shareBar, type Scale } from './charts.ts'
import { loadPage, RowSteps, type ListPage } from '../row-form.tsx'
import { RepoFrame, repoOf } from './frame.tsx'
import { rich, t, tn } from '../../text.ts'

const PATH = '/insights'
const CONTRIBUTORS_PER_PAGE = 24
/** Further languages are shown as one. */
const MAX_LANGUAGES = 8

export const ActivityTabs = ({
  repo,
  current,
}: {
  repo: string
  current: 'activity' | 'insights'
}) => (
  <FilterBar
    label={t('Activity')}
    filters={[
      {
        label: t('Timeline'),
        icon: 'activity',
        href: repoPath(repo, '/activity'),
        current: current === 'activity',
      },
      {
        label: t('Insights'),
        icon: 'chart',
        href: repoPath(repo, PATH),
        current: current === 'insights',
      },
    ]}
  />
)

type Shown = { readonly name: string; readonly percent: number; readonly fill: string }

function shownLanguages(shares: readonly LanguageShare[]): Shown[] {
  const used = new Set<string>()
  const fillOf = (name: string): string => {
    const start = hashText(name) % labelColors.length
    const free = [...labelColors.slice(start), ...labelColors.slice(0, start)].find(
      (color) => !used.has(color),
    )
    const color = free ?? labelColors[start] ?? ''
    used.add(color)
    return `#${color}`
  }
  const first = shares.slice(0, MAX_LANGUAGES).map(({ language, percent }) => ({
    name: language,
    percent,
    fill: fillOf(language),
  }))
  const rest = shares.slice(MAX_LANGUAGES).reduce((sum, { percent }) => sum + percent, 0)
  return rest > 0
    ? [...first, { name: 'Other', percent: Math.round(rest * 10) / 10, fill: '#8a8178' }]
    : first
}

const Languages = ({ shares }: { shares: readonly LanguageShare[] }) => {
  const shown = shownLanguages(shares)
  return (
    <section class="insight" aria-labelledby="languages">
      <h2 id="languages">{t('Languages')}</h2>
      {shown.length === 0 ? (
        <p class="muted">
          {t(
            'No programming language was found. Vendored and generated files and documentation do not count.',
          )}
        </p>
      ) : (
        <>
          {raw(shareBar(shown))}
          <ul class="bare-list language-list">
            {shown.map(({ name, percent, fill }) => (
              <li>
                {raw(
                  `<svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${fill}"/></svg>`,
                )}{' '}
                <span class="strong">{name}</span> <span class="muted nums">{percent}%</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

const Axis = ({ labels }: { labels: readonly string[] }) => (
  <p class="chart-axis muted small" aria-hidden="true">
    <span>{labels[0]}</span>
    <span>{labels.length > 2 ? labels[Math.floor(labels.length / 2)] : ''}</span>
    <span>{labels.length > 1 ? labels.at(-1) : ''}</span>
  </p>
)

const Charts = ({ activity, scale }: { activity: CommitActivity; scale: Scale }) => {
  const periods = periodsOf(scale, activity.weeks)
  const busy = periods.filter(({ commits }) => commits > 0)
  const commits = periods.map((period) => period.commits)
  return (
    <>
      <section class="insight" aria-labelledby="commits">
        <h2 id="commits">{t('Commits over time')}</h2>
        <p class="muted">
          {rich('{commits}, at most {max} in one column.', {
            commits: tn('{count} commit', '{count} commits', activity.commits),
            max: formatNumber(Math.max(...commits)),
          })}
        </p>
        {raw(columnChart(commits))}
        <Axis labels={scale.labels} />
      </section>
      <section class="insight" aria-labelledby="frequency">
        <h2 id="frequency">{t('Code frequency')}</h2>
        <p class="muted">
          {rich('{lines} above the line, {lines2} below it.', {
            lines: tn('{count} added line', '{count} added lines', activity.additions),
            lines2: tn('{count} deleted line', '{count} deleted lines', activity.deletions),
          })}
        </p>
        {raw(frequencyChart(periods))}
        <Axis labels={scale.labels} />
        <details class="more">
          <summary>{t('Numbers')}</summary>
          <table class="plain-table" aria-label={t('Code frequency')}>
            <thead>
              <tr>
                {[t('From'), t('Commits'), t('Added'), t('Deleted')].map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {busy.map((period) => (
                <tr>
                  <th scope="row">{period.label}</th>
                  <td class="nums">{formatNumber(period.commits)}</td>
                  <td class="nums">{formatNumber(period.additions)}</td>
                  <td class="nums">{formatNumber(period.deletions)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </section>
    </>
  )
}

const commitsBy = (scale: Scale, { weeks }: Contributor): number[] => {
  const sums = new Map<string, number>()
  for (const { week, commits } of weeks) {
    const label = scale.labelOf(week)
    sums.set(label, (sums.get(label) ?? 0) + commits)
  }
  return scale.labels.map((label) => sums.get(label) ?? 0)
}

const ContributorCard = ({
  person,
  series,
  most,
}: {
  person: Contributor
  series: readonly number[]
  most: number
}) => (
  <li class="contributor">
    <p>
      {person.actor ? <ActorLink of={person.actor} /> : <span class="strong">{person.name}</span>}
    </p>
    <p class="muted small nums">
      {tn('{count} commit', '{count} commits', person.commits)}{' '}
      <span class="stat-add">
        +{formatNumber(person.additions)}
        <span class="unseen"> {t('lines')}</span>
      </span>{' '}
      <span class="stat-del">
        −{formatNumber(person.deletions)}
        <span class="unseen"> {t('lines')}</span>
      </span>
    </p>
    {raw(columnChart(series, most))}
    <p class="muted small">
      {person.first_week === person.last_week
        ? person.first_week
        : t('{first_week} to {last_week}', {
            first_week: person.first_week,
            last_week: person.last_week,
          })}
    </p>
  </li>
)

const ContributorList = ({
  people,
  activity,
  scale,
  here,
}: {
  people: ListPage<Contributor>
  activity: CommitActivity
  scale: Scale
  here: string
}) => {
  const series = people.items.map((person) => commitsBy(scale, person))
  const most = Math.max(1, ...series.flat())
  return (
    <section class="insight" aria-labelledby="contributors">
      <h2 id="contributors">{t('Contributors')}</h2>
      <p class="muted">
        {rich('By commits on the default branch.{contributors}', {
          contributors:
            activity.contributors > people.items.length
              ? t(' {addresses} in all.', {
                  addresses: tn('{count} address', '{count} addresses', activity.contributors),
                })
              : '',
        })}
      </p>
      <ul class="bare-list contributor-list">
        {people.items.map((person, index) => (
          <ContributorCard person={person} series={series[index] ?? []} most={most} />
        ))}
      </ul>
      <RowSteps list={people} here={here} label={t('Contributors')} />
    </section>
  )
}

const Counting = ({ activity, here }: { activity: CommitActivity; here: string }) => (
  <Notice kind="info" title={t('The history is being counted')}>
    {activity.to_count > 0 ? (
      <>
        <p>
          {rich('{counted} of {commits}, newest first. The numbers below are of these.', {
            counted: formatNumber(activity.counted),
            commits: tn('{count} commit', '{count} commits', activity.to_count),
          })}
        </p>
        <progress
          class="progress"
          max={activity.to_count}
          value={activity.counted}
          aria-label={t('Counted commits')}
        />
      </>
    ) : (
      <p>{t('This takes a moment for a long history. It goes on without this page.')}</p>
    )}
    <p>
      <LinkButton href={here} small icon="refresh">
        {t('Reload')}
      </LinkButton>
    </p>
  </Notice>
)

export const insightsPage = page({
  path: `/:workspace/:repo${PATH}`,
  load: async (visit) => {
    const repo = repoOf(visit)
    const [record, languages, activity] = await Promise.all([
      visit.call(getRepo, { repo }),
      visit.call(listLanguages, { repo }),
      visit.call(getCommitActivity, { repo }),
    ])
    const people = await loadPage(visit, (page) =>
      visit.call(listContributors, { repo, page, per_page: CONTRIBUTORS_PER_PAGE }),
    )
    return { repo: record, languages: languages.items, activity, people }
  },
  view: ({ repo, languages, activity, people }, visit) => {
    const here = repoPath(repo.full_name, PATH)
    const scale = scaleOf(activity.weeks)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Insights')} current="activity">
        <PageHead
          title={t('Insights')}
          lead={rich('The history and the files of {default_branch}.', {
            default_branch: <code>{repo.default_branch}</code>,
          })}
        />
        <ActivityTabs repo={repo.full_name} current="insights" />
        {!activity.complete && <Counting activity={activity} here={here} />}
        {activity.sha === null && activity.complete ? (
          <EmptyState icon="chart" title={t('No commits yet')}>
            <p>{t('Charts appear here after the first push.')}</p>
            <LinkButton href={repoPath(repo.full_name)}>{t('Show how to push')}</LinkButton>
          </EmptyState>
        ) : (
          <>
            <Languages shares={languages} />
            {activity.weeks.length > 0 && <Charts activity={activity} scale={scale} />}
            {people.items.length > 0 && (
              <ContributorList people={people} activity={activity} scale={scale} here={here} />
            )}
          </>
        )}
      </RepoFrame>
    )
  },
})
