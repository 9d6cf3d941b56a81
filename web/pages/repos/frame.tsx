// The frame of the pages of a repository.
import { encodePath } from '#lib/percent-encoding.ts'
import { hasQueue } from '#features/queue/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { hasSecurity } from '#features/security/index.ts'
import { hasWiki } from '#features/wiki/index.ts'
import { hasWorkflows } from '#features/workflows/index.ts'
import type { Child } from '../../jsx/html.ts'
import { LinkButton } from '../../components/button.tsx'
import { RepoHeader } from '../../components/headers.tsx'
import type { LayoutProps } from '../../components/layout.tsx'
import type { Tab } from '../../components/tabs.tsx'
import { repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { RepoFollow } from '../notifications/follow.tsx'
import { Shell } from '../shell.tsx'
import { t } from '../../text.ts'

export type RepoTab =
  | 'code'
  | 'issues'
  | 'pulls'
  | 'queue'
  | 'runs'
  | 'wiki'
  | 'security'
  | 'activity'
  | 'agents'
  | 'memory'
  | 'settings'
  | 'search'

interface RepoFrameProps {
  visit: Visit
  repo: Repo
  title: string
  current: RepoTab
  width?: LayoutProps['width']
  noindex?: boolean
  live?: LayoutProps['live']
  inPlace?: LayoutProps['inPlace']
  actions?: Child
  children?: Child
}

const securityTab = (visit: Visit, repo: Repo, current: RepoTab, home: string) => ({
  key: 'security' as const,
  label: t('Security'),
  href: repoPath(home, '/security'),
  icon: 'shield' as const,
  shown: home === repo.full_name && (current === 'security' || hasSecurity(visit.hearth, repo.id)),
})

/** Whoever can write the first workflow finds there how. */
const mayAddWorkflow = ({ permissions, archived }: Repo): boolean => permissions.write && !archived

/** Those who have the tab of agents find the memory there. */
const memoryTab = (repo: Repo, current: RepoTab, home: string) => ({
  key: 'memory' as const,
  label: t('Memory'),
  href: repoPath(home, '/memory'),
  icon: 'layers' as const,
  shown:
    home === repo.full_name &&
    !repo.permissions.maintain &&
    (current === 'memory' || repo.permissions.write),
})

function repoTabs({ visit, repo, current }: RepoFrameProps, home: string): Tab[] {
  const isFork = home !== repo.full_name
  const queue =
    !isFork && (current === 'queue' || hasQueue(visit.hearth, repo.id, repo.default_branch))
  const maintain = repo.permissions.maintain && !isFork
  const at = (part: string) => repoPath(home, part)
  const tabs: (Tab & { key: RepoTab; shown?: boolean })[] = [
    { key: 'code', label: t('Code'), href: at(''), icon: 'code', hotkey: 'g c' },
    {
      key: 'issues',
      label: t('Issues'),
      href: at('/issues'),
      icon: 'issue',
      count: repo.open_issues_count,
      hotkey: 'g i',
    },
    {
      key: 'pulls',
      label: t('Pull requests'),
      href: at('/pulls'),
      icon: 'pull',
      count: repo.open_pulls_count,
      hotkey: 'g p',
    },
    { key: 'queue', label: t('Queue'), href: at('/queue'), icon: 'queue', shown: queue },
    {
      key: 'runs',
      label: t('Runs'),
      href: at('/runs'),
      icon: 'play',
      shown:
        !isFork &&
        (current === 'runs' || mayAddWorkflow(repo) || hasWorkflows(visit.hearth, repo.id)),
    },
    {
      key: 'wiki',
      label: t('Wiki'),
      href: at('/wiki'),
      icon: 'book',
      shown: !isFork && hasWiki(visit.hearth, repo.id),
    },
    securityTab(visit, repo, current, home),
    { key: 'activity', label: t('Activity'), href: at('/activity'), icon: 'activity' },
    { key: 'agents', label: t('Agents'), href: at('/agents'), icon: 'agent', shown: maintain },
    memoryTab(repo, current, home),
    {
      key: 'settings',
      label: t('Settings'),
      href: at('/settings'),
      icon: 'settings',
      shown: maintain,
    },
  ]
  return tabs
    .filter(({ shown }) => shown !== false)
    .map(({ key, shown: _, ...tab }) => ({
      ...tab,
      current: key === (current === 'memory' && maintain ? 'agents' : current),
    }))
}

export const RepoFrame = (props: RepoFrameProps) => {
  const { repo, current } = props
  // A pull request's fork has only pages of code, below the pull request. The rest belongs to its
  // repository.
  const home = repo.full_name.split('/').slice(0, 2).join('/')
  const isFork = home !== repo.full_name
  const at = (part: string) => repoPath(home, part)
  return (
    <Shell
      visit={props.visit}
      title={props.title === repo.full_name ? props.title : `${props.title} · ${repo.full_name}`}
      description={repo.description ?? undefined}
      width={props.width}
      live={props.live}
      inPlace={props.inPlace}
      noindex={props.noindex ?? repo.private}
      search={{
        scope: home,
        action: at('/search'),
        value: current === 'search' ? (props.visit.url.searchParams.get('q') ?? '') : undefined,
      }}
      links={feedsOf(home, repo, current)}
      header={
        <RepoHeader
          repo={repo}
          actions={
            <>
              {props.actions}
              {isFork ? (
                <LinkButton href={`/${encodePath(repo.full_name)}`} icon="pull">
                  {t('Pull request #{number}', { number: repo.full_name.split('/').at(-1) ?? '' })}
                </LinkButton>
              ) : (
                <RepoFollow visit={props.visit} repo={repo} />
              )}
            </>
          }
          tabs={repoTabs(props, home)}
        />
      }
    >
      {props.children}
    </Shell>
  )
}

/** The number in the address. Null when it is not one, which is a 404. */
export const numberOf = (visit: Visit): number | null =>
  /^[1-9]\d{0,9}$/.test(visit.params.number ?? '') ? Number(visit.params.number) : null

/**
 * The repository in the address: `workspace/name`, or `workspace/name/pull/3` for a pull request's
 * fork.
 */
export const repoOf = ({ params }: Visit): string =>
  `${params.workspace ?? ''}/${params.repo ?? ''}${params.fork ? `/pull/${params.fork}` : ''}`

/** The feeds of a page. */
const feedsOf = (
  home: string,
  { default_branch }: Repo,
  current: RepoTab,
): LayoutProps['links'] => {
  const feed = (title: string, part: string) => ({
    rel: 'alternate',
    type: 'application/atom+xml',
    title,
    href: repoPath(home, part),
  })
  return [
    ...(current === 'code'
      ? [
          feed(t('Commits of {home}', { home }), `/commits/${encodePath(default_branch)}.atom`),
          feed(t('Releases of {home}', { home }), '/releases.atom'),
        ]
      : []),
    ...(current === 'issues' ? [feed(t('Issues of {home}', { home }), '/issues.atom')] : []),
    ...(current === 'security'
      ? [feed(t('Advisories of {full_name}', { full_name: home }), '/security/advisories.atom')]
      : []),
  ]
}
