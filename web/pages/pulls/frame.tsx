// The frame of the pages of one pull request: title, state, tabs.
import type { Pull } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import type { Child } from '../../jsx/html.ts'
import {
  PageHead,
  ActorLink,
  Notice,
  PullState,
  RelativeTime,
  Stat,
  Tabs,
  type Tab,
} from '../../components/index.ts'
import type { LayoutProps } from '../../components/layout.tsx'
import { issuePath, pullPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { Branches, CheckOut } from './head-branch.tsx'
import { rich, t } from '../../text.ts'

/** The icons of the checks tab, which show their state on every page. */
const CHECK_ICONS = {
  none: 'check-circle',
  pending: 'clock',
  passed: 'check-circle',
  failed: 'x-circle',
  errored: 'warning',
} as const

type Part = 'conversation' | 'changes' | 'commits' | 'session' | 'checks'

/** The repository whose pages show the commits of a pull request: its fork until the merge. */
export const codeOf = (pull: Pick<Pull, 'fork' | 'status' | 'repo'>): string =>
  pull.fork !== null && pull.status !== 'merged' ? pull.fork.full_name : pull.repo

const PullLead = ({ repo, pull }: { repo: Repo; pull: Pull }) => (
  <>
    <PullState status={pull.status} />{' '}
    {rich('{actor} opened this pull request{agent} {time}:', {
      actor: <ActorLink of={pull.author} face={false} />,
      agent: pull.agent && <> {rich('with {agent}', { agent: pull.agent })}</>,
      time: <RelativeTime at={pull.created_at} />,
    })}{' '}
    <Branches repo={repo} pull={pull} />
    {pull.issue !== null && (
      <>
        {' '}
        {rich('for {a}', { a: <a href={issuePath(repo.full_name, pull.issue)}>#{pull.issue}</a> })}
      </>
    )}
  </>
)

function pullTabs(pull: Pull, repo: Repo, current: Part): Tab[] {
  const at = (part?: 'changes' | 'commits' | 'session' | 'checks') =>
    pullPath(repo.full_name, pull.number, part)
  const tabs: (Tab & { key: Part })[] = [
    {
      key: 'conversation',
      label: t('Conversation'),
      href: at(),
      icon: 'comment',
      count: pull.comments_count,
    },
    {
      key: 'changes',
      label: t('Changes'),
      href: at('changes'),
      icon: 'file',
      count: pull.changed_files,
    },
    {
      key: 'commits',
      label: t('Commits'),
      href: at('commits'),
      icon: 'commit',
      count: pull.commits_count,
    },
    {
      key: 'session',
      label: t('Session'),
      href: at('session'),
      icon: 'spark',
      count: pull.session.entries,
    },
    {
      key: 'checks',
      label: t('Checks'),
      href: at('checks'),
      icon: CHECK_ICONS[pull.checks_status],
    },
  ]
  return tabs.map(({ key, ...tab }) => ({ ...tab, current: key === current }))
}

/** Says on every page of a pull request that an agent changes what agents and checks follow. */
const InstructionsNotice = ({ repo, pull }: { repo: Repo; pull: Pull }) =>
  pull.instruction_paths.length === 0 ? null : (
    <Notice kind="bad" title={t('An agent changes how agents and checks work')}>
      <p>
        {t(
          'Later agents follow these instructions, and later checks run these workflows. Read each line before you approve or merge.',
        )}
      </p>
      <ul>
        {pull.instruction_paths.map((path) => (
          <li>
            <a href={withQuery(pullPath(repo.full_name, pull.number, 'changes'), { path })}>
              <code>{path}</code>
            </a>
          </li>
        ))}
      </ul>
    </Notice>
  )

export const PullFrame = (props: {
  visit: Visit
  repo: Repo
  pull: Pull
  current: Part
  width?: LayoutProps['width']
  live?: LayoutProps['live']
  actions?: Child
  children?: Child
}) => {
  const { pull, repo, current } = props
  return (
    <RepoFrame
      visit={props.visit}
      repo={repo}
      title={t('{title} · Pull request #{number}', { title: pull.title, number: pull.number })}
      current="pulls"
      width={props.width}
      live={props.live}
      inPlace
    >
      <PageHead
        title={
          <>
            <bdi>{pull.title}</bdi> <span class="muted">#{pull.number}</span>
          </>
        }
        lead={<PullLead repo={repo} pull={pull} />}
        actions={
          <>
            {props.actions ?? <Stat additions={pull.additions} deletions={pull.deletions} />}
            <CheckOut repo={repo} pull={pull} />
          </>
        }
      />
      <InstructionsNotice repo={repo} pull={pull} />
      <Tabs label={t('Pull request')} tabs={pullTabs(pull, repo, current)} />
      {props.children}
    </RepoFrame>
  )
}
