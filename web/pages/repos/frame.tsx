// What all pages of a repository have around them.
import { hasQueue } from '#features/queue/index.ts'
import type { Repo } from '#features/repos/index.ts'
import type { Child } from '../../jsx/html.ts'
import { RepoHeader } from '../../components/headers.tsx'
import type { LayoutProps } from '../../components/layout.tsx'
import { repoPath, segments } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { RepoFollow } from '../notifications/follow.tsx'
import { Shell } from '../shell.tsx'

export type RepoPlace =
  | 'code'
  | 'issues'
  | 'pulls'
  | 'queue'
  | 'activity'
  | 'agents'
  | 'settings'
  | 'search'

export const RepoFrame = (props: {
  visit: Visit
  repo: Repo
  title: string
  current: RepoPlace
  width?: LayoutProps['width']
  noindex?: boolean
  live?: LayoutProps['live']
  actions?: Child
  children?: Child
}) => {
  const { repo, current } = props
  // The fork of a pull request shows its code below the pull request; all else is its parent's.
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
              {!isFork && <RepoFollow visit={props.visit} repo={repo} />}
            </>
          }
          tabs={[
            {
              label: 'Code',
              href: at(''),
              icon: 'code',
              current: current === 'code',
              hotkey: 'g c',
            },
            {
              label: 'Issues',
              href: at('/issues'),
              icon: 'issue',
              count: repo.open_issues_count,
              current: current === 'issues',
              hotkey: 'g i',
            },
            {
              label: 'Pull requests',
              href: at('/pulls'),
              icon: 'pull',
              count: repo.open_pulls_count,
              current: current === 'pulls',
              hotkey: 'g p',
            },
            ...(!isFork &&
            (current === 'queue' || hasQueue(props.visit.hearth, repo.id, repo.default_branch))
              ? [
                  {
                    label: 'Queue',
                    href: at('/queue'),
                    icon: 'queue' as const,
                    current: current === 'queue',
                  },
                ]
              : []),
            {
              label: 'Activity',
              href: at('/activity'),
              icon: 'activity',
              current: current === 'activity',
            },
            ...(repo.permissions.maintain && !isFork
              ? [
                  {
                    label: 'Agents',
                    href: at('/agents'),
                    icon: 'agent' as const,
                    current: current === 'agents',
                  },
                ]
              : []),
            ...(repo.permissions.maintain && !isFork
              ? [
                  {
                    label: 'Settings',
                    href: at('/settings'),
                    icon: 'settings' as const,
                    current: current === 'settings',
                  },
                ]
              : []),
          ]}
        />
      }
    >
      {props.children}
    </Shell>
  )
}

/**
 * `workspace/name` of the address, or `workspace/name/pull/3` where it is the code of a pull
 * request's fork.
 */
export const repoOf = ({ params }: Visit): string =>
  `${params['workspace'] ?? ''}/${params['repo'] ?? ''}${params['fork'] ? `/pull/${params['fork']}` : ''}`

/** What feed readers find on a page. */
const feedsOf = (
  home: string,
  { default_branch }: Repo,
  current: RepoPlace,
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
          feed(`Commits of ${home}`, `/commits/${segments(default_branch)}.atom`),
          feed(`Releases of ${home}`, '/releases.atom'),
        ]
      : []),
    ...(current === 'issues' ? [feed(`Issues of ${home}`, '/issues.atom')] : []),
  ]
}
