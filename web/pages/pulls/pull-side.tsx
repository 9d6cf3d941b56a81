// The side panel of a pull request.
import type { PullOverview } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Badge, CheckState, Icon, LinkButton, SideBlock } from '../../components/index.ts'
import { formatCost } from '../../format.ts'
import { pullPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { StatusList, statusesPath, type ShownStatus } from '../code/statuses.tsx'
import { AssigneesSide, LabelsSide, MilestoneSide } from '../issues/side-panel.tsx'
import { Following } from '../notifications/follow.tsx'
import type { IssueNotifications } from '../notifications/on-issue.tsx'
import { UpdateBranch } from './branch-box.tsx'
import type { PullChoices } from './pull-choices.ts'
import { Reviewers } from './reviewers.tsx'
import { rich, t } from '../../text.ts'

/** How far the base is ahead, with the conflicts and the buttons that update the branch. */
const BaseState = ({ data, repo, visit }: { data: PullOverview; repo: Repo; visit: Visit }) => (
  <SideBlock title={t('Base')}>
    {data.behind.by === 0 ? (
      <p>{rich('Up to date with {base}', { base: data.behind.base })}</p>
    ) : (
      <p>{rich('{by} behind {base}', { by: data.behind.by, base: data.behind.base })}</p>
    )}
    {data.behind.conflict_paths.length > 0 && (
      <ul class="bare-list">
        {data.behind.conflict_paths.map((path) => (
          <li>
            <Icon name="warning" /> <code>{path}</code>
          </li>
        ))}
      </ul>
    )}
    {(data.status === 'open' || data.status === 'draft') && (
      <UpdateBranch data={data} repo={repo} visit={visit} />
    )}
  </SideBlock>
)

/** Other open pull requests that change the same files or lines. */
const Overlaps = ({ data, repo }: { data: PullOverview; repo: Repo }) =>
  data.overlaps.length === 0 ? null : (
    <SideBlock title={t('Overlapping pull requests')}>
      <ul class="bare-list">
        {data.overlaps.map((other) => (
          <li>
            <a href={pullPath(repo.full_name, other.number)}>
              #{other.number} {other.title}
            </a>{' '}
            <Badge tone={other.level === 'lines' ? 'bad' : 'wait'}>{other.level}</Badge>
          </li>
        ))}
      </ul>
    </SideBlock>
  )

const Approvals = ({ data: { approvals } }: { data: PullOverview }) => (
  <SideBlock title={t('Approvals')}>
    <p>
      {approvals.required === 0
        ? t('None required, {counted} given', { counted: approvals.counted })
        : t('{counted} of {required}', {
            counted: approvals.counted,
            required: approvals.required,
          })}
    </p>
  </SideBlock>
)

const StatusesSide = ({
  data,
  repo,
  statuses,
}: Pick<PullSideProps, 'data' | 'repo' | 'statuses'>) =>
  statuses && (
    <SideBlock title={t('Statuses')}>
      <StatusList
        statuses={statuses.statuses}
        allHref={statusesPath(repo.full_name, data.head?.sha ?? '', data.number)}
      />
    </SideBlock>
  )

type PullSideProps = {
  data: PullOverview
  statuses: { readonly statuses: readonly ShownStatus[] } | null
  repo: Repo
  visit: Visit
  mayChange: boolean
  choices: PullChoices
  notifications: IssueNotifications
}

export const PullSide = ({
  data,
  statuses,
  repo,
  visit,
  mayChange,
  choices,
  notifications,
}: PullSideProps) => {
  const context = {
    visit,
    repo: repo.full_name,
    here: pullPath(repo.full_name, data.number),
    mayEdit: visit.viewer !== null && repo.permissions.triage && !repo.archived,
  }
  return (
    <>
      <Reviewers visit={visit} data={data} repo={repo} choices={choices.reviewers} />
      <Approvals data={data} />
      {data.checks_status !== 'none' && (
        <SideBlock title={t('Checks')}>
          <p>
            <CheckState
              status={data.checks_status}
              href={pullPath(repo.full_name, data.number, 'checks')}
            />
          </p>
        </SideBlock>
      )}
      <StatusesSide data={data} repo={repo} statuses={statuses} />
      <BaseState data={data} repo={repo} visit={visit} />
      <Overlaps data={data} repo={repo} />
      <LabelsSide {...context} names={data.labels} labels={choices.labels} list="/pulls" />
      <AssigneesSide {...context} people={data.assignees} assignable={choices.people} />
      <MilestoneSide
        {...context}
        milestone={data.milestone}
        milestones={choices.milestones}
        list="/pulls"
      />
      <Following visit={visit} subscription={notifications.subscription} at={context.here} />
      {data.session.cost_usd !== null && (
        <SideBlock title={t('Cost')}>{formatCost(data.session.cost_usd)}</SideBlock>
      )}
      {mayChange && (
        <p>
          <LinkButton href={`${pullPath(repo.full_name, data.number)}/edit`} small icon="edit">
            {t('Edit')}
          </LinkButton>
        </p>
      )}
    </>
  )
}
